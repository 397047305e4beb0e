"""A crawler made with Scrapy that does what ours does on these sites."""

import json

import scrapy


class Spider(scrapy.Spider):
    name = "postings"
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "USER_AGENT": "bench (+ann@example.org)",
        "FEEDS": {"stdout:": {"format": "jsonlines"}},
    }

    def __init__(self, roots="", **options):
        super().__init__(**options)
        self.start_urls = roots.split()

    def parse(self, response):
        for script in response.css('script[type="application/ld+json"]::text').getall():
            posting = json.loads(script)
            if posting.get("@type") == "JobPosting":
                yield {**posting, "sourceUrl": response.url}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link)
