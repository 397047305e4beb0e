module site

go 1.24
