#!/usr/bin/env bash
# Makes the cache with which a service starts in less than half the time (AOT, JEP 483 and 515): starts the service without Kafka
# and MongoDB, has it answer some requests, and stops it. The cache is good for this Java and this path of the jar alone.
#   train.sh JAVA JAR CACHE
set -euo pipefail
java=$1 jar=$2 cache=$3
log=$cache.log new=$cache.new

# a group of its own, since Java makes the cache in a second process
set -m
# without the user's settings, which may lead to a Kafka that is there; nothing listens on port 1
env -i PATH="$PATH" SERVER_ADDRESS=127.0.0.1 SERVER_PORT=0 \
  SPRING_KAFKA_BOOTSTRAP_SERVERS=127.0.0.1:1 SPRING_MONGODB_URI=mongodb://127.0.0.1:1/db \
  "$java" -XX:+UseSerialGC -XX:AOTCacheOutput="$new" -jar "$jar" >"$log" 2>&1 &
service=$!
set +m
# no signal reaches the group by itself
trap 'kill -9 -- "-$service" 2>/dev/null || true; rm -f "$new" "$new".*' EXIT

fail() {
  cat "$log" >&2
  echo "train.sh: $*" >&2
  exit 1
}

is_up() { kill -0 $service 2>/dev/null; }
port() { sed -n '/Tomcat started on port/{s/.*Tomcat started on port \([0-9]*\).*/\1/p;q;}' "$log"; }

# an image has no curl, but bash can speak HTTP
ask() { # METHOD PATH TYPE BODY
  exec 3<>"/dev/tcp/127.0.0.1/$port" &&
    printf '%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s' \
      "$1" "$2" "$3" "${#4}" "$4" >&3
  local line
  while IFS= read -r -t 10 -u 3 line; do echo "$line"; done
}

# Tomcat answers before the service is live
is_live() {
  port=$(port)
  [ -n "$port" ] && [[ $(ask GET /actuator/health/liveness text/plain '' || true) == "HTTP/1.1 200"* ]]
}

# minutes, for one that has the lowest priority
for _ in $(seq 3000); do
  ! is_live || break
  is_up || fail "the service has ended"
  sleep 0.1
done
is_live || fail "the service does not get live"

# what the services answer, 503 as a rule, is of no interest
job='{"title": "Trained", "description": "\u00e9", "salary": "$1", "places": [{"city": "A", "x": 1.5, "y": -2}]}'
asking=()
for i in $(seq 30); do
  ask POST /jobs application/json "$job" >/dev/null & asking+=($!)
  [ "$i" -le 3 ] || continue
  ask GET /actuator/health/readiness text/plain '' >/dev/null & asking+=($!)
  ask GET /jobs/none text/plain '' >/dev/null & asking+=($!)
  ask POST /jobs application/json '{"title": " "}' >/dev/null & asking+=($!)
  ask POST /jobs application/x-ndjson "$job" >/dev/null & asking+=($!)
done
wait "${asking[@]}" || true

kill $service || fail "the service has ended"
# it writes the cache while it ends
for _ in $(seq 3000); do
  is_up || break
  sleep 0.1
done
! is_up || fail "the service does not end"
# its number may be another's from now on
trap - EXIT
[ -s "$new" ] || fail "Java has written no cache"
# a service that starts meanwhile finds all of it, or none
mv "$new" "$cache"
rm "$log"
