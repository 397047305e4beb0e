// A crawler made with Colly that does what ours does on these sites: robots.txt, one request a host, links, postings of JSON-LD.
package main

import (
	"encoding/json"
	"log"
	"os"
	"sync"

	"github.com/gocolly/colly/v2"
)

func main() {
	collector := colly.NewCollector(colly.Async(true), colly.UserAgent("bench (+ann@example.org)"))
	collector.IgnoreRobotsTxt = false
	if err := collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 1}); err != nil {
		log.Fatal(err)
	}
	var lock sync.Mutex
	lines := json.NewEncoder(os.Stdout)
	collector.OnHTML("a[href]", func(link *colly.HTMLElement) { link.Request.Visit(link.Attr("href")) })
	collector.OnHTML(`script[type="application/ld+json"]`, func(script *colly.HTMLElement) {
		var posting map[string]any
		if json.Unmarshal([]byte(script.Text), &posting) == nil && posting["@type"] == "JobPosting" {
			posting["sourceUrl"] = script.Request.URL.String()
			lock.Lock()
			defer lock.Unlock()
			lines.Encode(posting)
		}
	})
	for _, root := range os.Args[1:] {
		collector.Visit(root)
	}
	collector.Wait()
}
