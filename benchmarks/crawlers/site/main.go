// Eight careers sites on loopback addresses, for measuring crawlers: pages of 30 KiB with a posting and 51 links each.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
)

const (
	port  = 8070
	sites = 8
	links = 50
)

var filler = strings.Repeat("<div class=\"row\"><p>Baked at dawn, <b>sold</b> until noon, and given away in the evening.</p></div>\n", 255)

// page i of n links to others in a fixed order, so that all are found.
func page(site string, i, n int) string {
	var page strings.Builder
	fmt.Fprintf(&page, `<html><head><title>Baker %d</title><script type="application/ld+json">`, i)
	fmt.Fprintf(&page, `{"@context":"https://schema.org","@type":"JobPosting","title":"Baker %d","identifier":"%s-%d","description":"%s"}`,
		i, site, i, strings.Repeat("bread ", 80))
	page.WriteString("</script></head><body>")
	for k := 1; k <= links; k++ {
		fmt.Fprintf(&page, "<a href=\"/jobs/%d\">a posting</a>\n", (i*7+k*13)%n)
	}
	fmt.Fprintf(&page, "<a href=\"/jobs/%d\">the next one</a>", (i+1)%n)
	return page.String() + filler + "</body></html>"
}

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	handler := http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		number, isPage := strings.CutPrefix(request.URL.Path, "/jobs/")
		i, err := strconv.Atoi(number)
		if !isPage || err != nil {
			http.NotFound(answer, request)
			return
		}
		answer.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(answer, page(request.Host, i, n))
	})
	for k := 2; k <= sites; k++ {
		go func() { log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.%d:%d", k, port), handler)) }()
	}
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", port), handler))
}
