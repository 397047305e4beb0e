"""One job, a resumable upload with its progress, and the wait until a job is stored."""
import http.client
import json
import os
import sys
import time
import urllib.request
import uuid
from urllib.error import HTTPError, URLError

REST = os.environ.get("REST_TO_KAFKA", "http://localhost:9090")
# an API key or a token, where security is on
KEY = {"Authorization": f"Bearer {os.environ['JOBS_KEY']}"} if os.environ.get("JOBS_KEY") else {}


def again(action, attempts=5):
    """A key makes it safe to try again whatever went wrong."""
    for attempt in range(1, attempts + 1):
        pause = attempt
        try:
            return action()
        except HTTPError as failure:
            if failure.code not in (408, 429, 503) or attempt == attempts:
                raise SystemExit(f"refused: {failure.code} {failure.read().decode()}")
            pause = int(failure.headers.get("Retry-After", attempt))
        except (URLError, OSError, ValueError, http.client.HTTPException) as failure:
            if attempt == attempts:
                raise SystemExit(f"gave up: {failure}")
        time.sleep(pause)


def post(job, key):
    request = urllib.request.Request(f"{REST}/jobs", json.dumps(job).encode(),
                                     {**KEY, "Content-Type": "application/json", "Idempotency-Key": key})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.headers["Location"]


def wait(location):
    request = urllib.request.Request(location, headers={**KEY, "Prefer": "wait=20"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return "stored: " + json.load(answer)["_meta"]["storedAt"]
    except HTTPError as failure:
        if failure.code != 404:
            raise SystemExit(f"not stored: {failure.code} {failure.read().decode()}")
        return "not stored yet: ask again later"


def upload(path, key):
    """Sends the file in parts, so that an upload which broke off goes on with the part that it broke off in."""
    accepted = refused = number = 0
    for part, lines in enumerate(parts(path)):
        outcomes, counts = again(lambda: send(lines, f"{key}-{part}"))
        for outcome in outcomes:
            print(f"line {number + outcome['line']}: {outcome['status']} {outcome['detail']}")
        accepted += counts["accepted"]
        refused += counts["refused"]
        number += len(lines)
        print(f"{number} lines", file=sys.stderr)
    print(f"{accepted} accepted, {refused} refused")


def parts(path, size=2000):
    with open(path, "rb") as file:
        while lines := [line for _, line in zip(range(size), file)]:
            yield lines


def send(lines, key):
    """Gets the outcomes of refused lines and the counts, since urllib reads nothing before it has sent everything."""
    request = urllib.request.Request(f"{REST}/jobs", b"".join(lines), {
        **KEY, "Content-Type": "application/x-ndjson", "Idempotency-Key": key, "Prefer": "return=minimal"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        *outcomes, counts = [json.loads(line) for line in answer]
    if counts.get("lines") != len(lines) or any(outcome["status"] in (408, 503) for outcome in outcomes):
        raise OSError(f"the upload broke off: {outcomes[-1:]}")
    return outcomes, counts


if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.path.isfile(sys.argv[1]):
        raise SystemExit("give a file to upload, one job a line")
    one = str(uuid.uuid4())
    location = again(lambda: post({"title": "Engineer", "company": "Acme"}, one))
    print("accepted:", location)
    print(wait(location))
    upload(sys.argv[1], str(uuid.uuid4()))
