#!/usr/bin/env bash
# One job, a resumable upload, and the wait until it is stored, with curl (7.71 or later).
set -euo pipefail
rest=${REST_TO_KAFKA:-http://localhost:9090}
file=${1:?"give a file to upload, one job a line"}
[ -r "$file" ] || { echo "$file can't be read" >&2; exit 1; }

# one job: a key, so that it may be sent again until there is an answer
headers=$(mktemp)
# an API key or a token, where security is on
auth=(); [ -z "${JOBS_KEY:-}" ] || auth=(-H "Authorization: Bearer $JOBS_KEY")
trap 'rm -f "$headers"' EXIT
key=$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)
answer=$(curl -sS ${auth[@]+"${auth[@]}"} --retry 5 --retry-all-errors --max-time 10 -D "$headers" "$rest/jobs" \
  -H 'Content-Type: application/json' -H "Idempotency-Key: $key" -d '{"title": "Engineer", "company": "Acme"}')
location=$(awk 'tolower($1) == "location:" { print $2 }' "$headers" | tr -d '\r')
[ -n "$location" ] || { echo "refused: $answer" >&2; exit 1; }
echo "accepted: $location"

# wait until it is stored
stored=$(curl -sS ${auth[@]+"${auth[@]}"} --max-time 30 -H 'Prefer: wait=20' -w '\n%{http_code}' "$location")
echo "${stored%$'\n'*}"
case ${stored##*$'\n'} in
  200) ;;
  404) echo "not stored yet: ask again later" ;;
  *) exit 1 ;;
esac

# many jobs: the same key again continues where it broke off, since every line keeps its id; curl reads while it sends
lines=$(awk 'END { print NR }' "$file")
upload() {
  curl -sS ${auth[@]+"${auth[@]}"} --fail-with-body -D "$headers" --speed-limit 1 --speed-time 60 \
    -H 'Content-Type: application/x-ndjson' -H "Idempotency-Key: upload-$key" -H 'Expect:' --data-binary "@$file" "$rest/jobs" | awk -v lines="$lines" '
      /"status":202/ { accepted++ } !/"status":202/ { print; if (/"status":(408|429|503)/) broken = 1; refused++ }
      NR % 1000 == 0 { print NR " lines" > "/dev/stderr" }
      END { printf "%d accepted, %d refused\n", accepted, refused; exit broken || NR < lines }'
}
for attempt in 1 2 3 4 5; do
  if upload; then exit; fi
  after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$headers")
  sleep "${after:-$attempt}"
done
exit 1
