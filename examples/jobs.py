"""One job, a resumable upload with its progress, and the wait until a job is stored."""
import http.client
import json
import os
import sys
import time
import urllib.request
import uuid
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

REST = os.environ.get("REST_TO_KAFKA", "http://localhost:9090")


def again(action, attempts=5):
    """A key makes it safe to try again whatever went wrong."""
    for attempt in range(1, attempts + 1):
        try:
            return action()
        except HTTPError as failure:
            if failure.code < 500 or attempt == attempts:
                raise SystemExit(f"refused: {failure.code} {failure.read().decode()}")
        except (URLError, OSError, http.client.HTTPException) as failure:
            if attempt == attempts:
                raise SystemExit(f"gave up: {failure}")
        time.sleep(attempt)


def post(job, key):
    request = urllib.request.Request(f"{REST}/jobs", json.dumps(job).encode(),
                                     {"Content-Type": "application/json", "Idempotency-Key": key})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.headers["Location"]


def wait(location):
    request = urllib.request.Request(location, headers={"Prefer": "wait=20"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def upload(path, key):
    """Sends the file in parts, so that an upload which broke off goes on with the part that it broke off in."""
    accepted = refused = number = 0
    for part, lines in enumerate(parts(path)):
        outcomes = again(lambda: send(lines, f"{key}-{part}"))
        for outcome in outcomes:
            if outcome["status"] == 202:
                accepted += 1
            else:
                refused += 1
                print(f"line {number + outcome['line']}: {outcome['status']} {outcome['detail']}")
        number += len(lines)
        print(f"\r{number} lines", end="", file=sys.stderr)
    print(f"\r{accepted} accepted, {refused} refused")


def parts(path, size=2000):
    with open(path, "rb") as file:
        while lines := [line for _, line in zip(range(size), file)]:
            yield lines


def send(lines, key):
    address = urlsplit(REST)
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.hostname, address.port, timeout=60)
    try:
        connection.request("POST", f"{address.path}/jobs", b"".join(lines),
                           {"Content-Type": "application/x-ndjson", "Idempotency-Key": key})
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    outcomes = [json.loads(line) for line in body.splitlines()] if answer.status == 200 else []
    if answer.status != 200 or any(outcome["status"] in (408, 503) for outcome in outcomes):
        raise OSError(f"the upload broke off: {answer.status}")
    return outcomes


if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.path.isfile(sys.argv[1]):
        raise SystemExit("give a file to upload, one job a line")
    one = str(uuid.uuid4())
    location = again(lambda: post({"title": "Engineer", "company": "Acme"}, one))
    print("accepted:", location)
    print("stored:", wait(location)["_meta"]["storedAt"])
    upload(sys.argv[1], str(uuid.uuid4()))
