"""A crawler by the design of tutorials: workers at one queue, a set of what was seen, redirects by hand, four tries.
It asks no robots.txt, and each host as often as it can."""

import http.client
import json
import queue
import sys
import threading
import urllib.parse
from html.parser import HTMLParser

WORKERS, REDIRECTS, TRIES, SECONDS = 8, 5, 4, 30
waiting, seen, lock = queue.Queue(), set(), threading.Lock()


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.scripts, self.inside = [], [], False

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        self.inside = tag == "script" and values.get("type") == "application/ld+json"

    def handle_data(self, data):
        if self.inside:
            self.scripts.append(data)

    def handle_endtag(self, tag):
        self.inside = False


def add(url):
    url = urllib.parse.urldefrag(url).url
    with lock:
        if url in seen:
            return
        seen.add(url)
    waiting.put(url)


def read(url, connections):
    for _ in range(REDIRECTS + 1):
        parts = urllib.parse.urlsplit(url)
        connection = connections.setdefault(parts.netloc, http.client.HTTPConnection(parts.netloc, timeout=SECONDS))
        connection.request("GET", parts.path or "/", headers={"User-Agent": "bench (+ann@example.org)"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status // 100 != 3:
            return url, body.decode() if answer.status == 200 else ""
        url = urllib.parse.urljoin(url, answer.headers["Location"])
    return url, ""


def work():
    connections = {}
    while (url := waiting.get()) is not None:
        for _ in range(TRIES):
            try:
                url, text = read(url, connections)
                break
            except OSError:
                connections.clear()
        else:
            text = ""
        page = Page()
        page.feed(text)
        for script in page.scripts:
            posting = json.loads(script)
            if posting.get("@type") == "JobPosting":
                line = json.dumps({**posting, "sourceUrl": url}) + "\n"
                with lock:
                    sys.stdout.write(line)
        for link in page.links:
            add(urllib.parse.urljoin(url, link))
        waiting.task_done()


threads = [threading.Thread(target=work) for _ in range(WORKERS)]
for root in sys.argv[1:]:
    add(root)
for thread in threads:
    thread.start()
waiting.join()
for thread in threads:
    waiting.put(None)
