# What .ci/run and .ci/night are made of: to be sourced by them, in the project's folder.
set -euo pipefail
shared=$(cd .. && pwd)/shared
work=$(mktemp -d)
started=$SECONDS
parts=()
untried=()

fail() { echo "FAILED: $*" >&2; exit 1; }
# grep -q ends at the first match, and then what writes to it may fail
has() { grep "$@" | cat >/dev/null; }

# runs a command, and notes how long it took
part() { # NAME COMMAND...
  local name=$1 begun=$SECONDS
  shift
  printf '\n== %s (%d s)\n' "$name" "$((SECONDS - started))"
  parts+=("$name, not to its end")
  touch "$work/part"
  "$@"
  parts[-1]=$(printf '%6d s  %s' "$((SECONDS - begun))" "$name")
}

# the last words, whatever happened
tell() {
  local one
  printf '\n== %s\n' "$1"
  printf '%s\n' "${parts[@]}"
  printf '%6d s  in all\n' "$((SECONDS - started))"
  for one in ${untried[@]+"${untried[@]}"}; do echo "not tried: $one"; done
}

launcher=
squatter=
images=
has_tls=
has_block=
has_site=
has_containers=
cleanup() {
  local code=$?
  # with what it has started
  [ -z "$images" ] || kill -- "-$images" 2>/dev/null || true
  [ -z "$squatter" ] || kill "$squatter" 2>/dev/null || true
  [ -z "$launcher" ] || { kill "$launcher" 2>/dev/null; wait "$launcher" 2>/dev/null; } || true
  [ -z "$has_containers" ] || lab down -v >/dev/null 2>&1 || true
  [ -z "$has_tls" ] || rm -rf tls
  [ -z "$has_block" ] || rm -f .run
  [ -z "$has_site" ] || rm -rf my-site
  [ $code -eq 0 ] || tell "failed"
  rm -rf "$work"
}
trap cleanup EXIT

# what is here already is somebody's
mine() { # FILE...
  local one
  for one in "$@"; do [ ! -e "$one" ] || fail "$PWD/$one is in the way: this makes one of its own, and deletes it"; done
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

install() {
  local missing=()
  command -v mvn >/dev/null || missing+=(maven)
  command -v curl >/dev/null || missing+=(curl)
  command -v chromium >/dev/null || missing+=(chromium)
  command -v chromedriver >/dev/null || missing+=(chromium-driver)
  command -v node >/dev/null || missing+=(nodejs)
  command -v npx >/dev/null || missing+=(npm)
  command -v kcat >/dev/null || missing+=(kcat)
  as_root apt-get update -qq
  [ ${#missing[@]} -eq 0 ] || as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$work/install.log" 2>&1 ||
    { cat "$work/install.log"; fail "installing ${missing[*]}"; }
  python3 -m venv "$work/venv" || { as_root apt-get install -y -qq python3-venv; python3 -m venv "$work/venv"; }
  "$work/venv/bin/pip" -q install schemathesis==4.32.5
  mkdir "$work/bin"
  export PATH="$work/bin:$PATH"
  if [ -x "$shared/mongo/bin/mongosh" ]; then
    ln -s "$shared/mongo/bin/mongosh" "$work/bin/mongosh"
  elif ! command -v mongosh >/dev/null; then
    npm install --silent --prefix "$work/mongosh" mongosh@2.12.0 || [ -z "${CI:-}" ] || fail "there is no mongosh, and none can be installed"
    export PATH="$PATH:$work/mongosh/node_modules/.bin"
  fi
  ! command -v mongosh >/dev/null || mongosh --version >/dev/null
  # the package would start a Prometheus, on port 9090
  (cd "$work" && apt-get download -qq prometheus && dpkg -x prometheus_*.deb prometheus)
  # the chaos run watches with it
  export PATH="$PATH:$work/prometheus/usr/bin"
}

# tests of the pair as shipped, whose style "mvn verify" has looked at
end_to_end() { # OPTION...
  CI=true mvn -B -ntp verify -Plong -Dbackends=embedded -Dcheckstyle.skip -Dspring-javaformat.validate.skip "$@"
}

# fails unless each of the classes had a test that ran, and was not skipped: a class that has another name now would not be missed
ran() { # MODULE CLASS...
  local module=$1 class report
  shift
  for class in "$@"; do
    report=$(find "$module/target/surefire-reports" -name "TEST-*.$class.xml" -newer "$work/part")
    [ -n "$report" ] && grep -q '<testcase ' "$report" || fail "$module has not run $class"
    [ "$(grep -c '<skipped' "$report")" -lt "$(grep -c '<testcase ' "$report")" ] || fail "$module has skipped all of $class"
  done
}

# with the mongod beside this checkout, for as long as the command takes
with_mongod() { # COMMAND...
  "$shared/mongo/bin/mongod" --version >/dev/null
  ln -s "$shared/mongo/bin/mongod" "$work/bin/mongod"
  "$@"
  rm "$work/bin/mongod"
}

has_mongod() { [ -x "$shared/mongo/bin/mongod" ]; }

# sentences of at most 30 words that name their actor, lines of at most 160 characters, a README of one page
prose() {
  local documents=(README.md CONTRIBUTING.md docs/*.md */RATIONALE.md) words
  # --rulesdir alone switches its rules on: where .textlintrc.json names one of them, textlint drops all of that file without a word
  npx --yes --package textlint@15.8.0 --package textlint-rule-en-max-word-count@1.0.2 --package textlint-rule-sentence-length@5.2.1 \
    textlint --rulesdir .ci/textlint "${documents[@]}"
  ! grep -nE '^ *[A-Z]+(-[A-Z]+)+$' "${documents[@]}" || fail "a document has a gap"
  words=$(wc -w <README.md)
  [ "$words" -le 1500 ] || fail "README.md has $words words"
  awk '/^```/ { code = !code } !code && !/^\|/ && !/^    / && length > 160 { print FILENAME ":" FNR ": " length " characters"; long = 1 } END { exit long }' \
    "${documents[@]}" || fail "lines are too long"
}

lint() { npx --yes @stoplight/spectral-cli@6.16.3 lint -r contract/.spectral.yaml --fail-severity=warn "$@"; } # FILE...

# what describes the services is well-formed, and the alerts fire when they should
documents_and_alerts() {
  lint contract/openapi.yaml contract/asyncapi.yaml
  "$work/prometheus/usr/bin/promtool" check config observability/prometheus.yml
  (cd observability && "$work/prometheus/usr/bin/promtool" test rules alerts.test.yml)
}

# ./run, for a user who has a browser's and a shell's means

scheme=http

collection() { # OPTION...
  npx --yes newman@6.2.2 run contract/jobs.postman_collection.json -e contract/local.postman_environment.json \
    --env-var "restToKafka=$scheme://localhost:9090" --env-var "kafkaToMongo=$scheme://localhost:9091" "$@" >"$work/newman.log" 2>&1 ||
    { cat "$work/newman.log"; fail "Postman's collection"; }
}

fuzz_both() { # OPTION...
  fuzz 9090 --include-operation-id postJobs "$@"
  # events have no end
  fuzz 9091 --exclude-operation-id postJobs --exclude-operation-id followJobs "$@"
}

fuzz() { # PORT OPTION...
  local port=$1; shift
  timeout 300 "$work/venv/bin/schemathesis" run contract/openapi.yaml --url "$scheme://localhost:$port" "$@" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --phases coverage,fuzzing --max-examples 30 --seed 7 --request-timeout 20 >"$work/fuzz.log" 2>&1 ||
    { cat "$work/fuzz.log"; fail "the fuzzer"; }
}

examples() {
  local file=end-to-end/src/test/resources/job-postings.ndjson example java
  java=$(. local-stack/java.sh; find_jdk25)/bin/java
  for example in examples/jobs.sh "python3 examples/jobs.py" "$java --source 17 examples/Jobs.java" "node examples/jobs.mjs"; do
    timeout 120 $example "$file" >"$work/example.log" 2>&1 || { cat "$work/example.log"; fail "$example"; }
    grep -q stored "$work/example.log" || grep -q '"_meta"' "$work/example.log" || { cat "$work/example.log"; fail "$example stored nothing"; }
    grep -q '202 accepted, 0 refused' "$work/example.log" || { cat "$work/example.log"; fail "$example uploaded something else"; }
  done
}

# the commands between <!-- tour --> and <!-- /tour -->
tour() {
  cat README.md docs/http.md docs/dead-letters.md | sed -n '/^<!-- tour -->/,/^<!-- \/tour -->/p' |
    sed "/^<!--/d; /^\`\`\`/d; s|http://localhost|$scheme://localhost|g" >"$work/tour.sh"
  bash -euo pipefail "$work/tour.sh" >"$work/tour.log" 2>&1 || { cat "$work/tour.log"; fail "the documents' tour"; }
  for expected in 'HTTP/1.1 202' '"pointer":"/title","detail":"must not be blank"' '"line":202,"status":202' '"title": "Wait for me"' \
    '"id":"y"' '"id":"x"' '"matched":0' "value: 'nonsense'" "salary: '\$10,000'" '"status":"UP"' '"reason": "conflict"' "reason: 'conflict'"; do
    grep -qF -- "$expected" "$work/tour.log" || { cat "$work/tour.log"; fail "the tour did not print $expected"; }
  done
  grep -qx 204 "$work/tour.log" || { cat "$work/tour.log"; fail "the tour has discarded nothing"; }
}

documents() { mongosh --quiet mongodb://localhost:27017/db --eval 'db.jobs.countDocuments()'; }

await() { # SECONDS COMMAND...
  local until=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $until ] || fail "waited in vain for: $*"; sleep 0.5; done
}

status() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
ready() { [ "$(status "$scheme://localhost:$1/actuator/health/readiness")" = 200 ]; }

# whatever stands in Kafka is stored: a partition's records are stored in their order, and this one is its last
all_stored() {
  local partition id
  for partition in 0 1 2 3 4 5; do
    id=last-$partition-$SECONDS-$RANDOM
    printf '%s:{"title": "The last one"}\n' "$id" | kcat -P -X broker.address.family=v4 -b localhost:9092 -t jobs-topic1 -p "$partition" -K:
    [ "$(status -H 'Prefer: wait=30' "$scheme://localhost:9091/jobs/$id")" = 200 ] || fail "a record of partition $partition is not stored"
  done
}

printed_ready() { grep -qs '^Ready after' "$work/run.log"; }

start_run() {
  local size told=$SECONDS
  # else the line of the run before may be read, before this one has opened the file
  [ ! -f "$work/run.log" ] || mv "$work/run.log" "$work/run.log.1"
  : >"$work/run.log"
  ./run >"$work/run.log" 2>&1 &
  launcher=$!
  size=0
  for _ in $(seq 300); do
    if printed_ready; then
      told_stages
      return
    fi
    kill -0 "$launcher" 2>/dev/null || break
    # a line each 5 s, and much more for a machine that is busy
    if [ "$(wc -c <"$work/run.log")" != "$size" ]; then
      size=$(wc -c <"$work/run.log")
      told=$SECONDS
    fi
    [ $((SECONDS - told)) -le 30 ] || { cat "$work/run.log"; fail "./run says nothing for $((SECONDS - told)) s"; }
    sleep 1
  done
  cat "$work/run.log"
  fail "./run did not get ready"
}

# each stage has its first line and its last; a start that builds has four
told_stages() {
  local stage stages=('4/4 Starting')
  if grep -q '^Building' "$work/run.log"; then
    stages=('1/4 Compiling' '2/4 Packaging' '3/4 Unpacking' "${stages[@]}")
    grep -q 'BUILD SUCCESS' .run/logs/build.log || fail "the build's log is not whole"
  else
    stages=('Starting')
  fi
  for stage in "${stages[@]}"; do
    grep -q "^$stage.* \.\.\.$" "$work/run.log" && grep -q "^$stage.*: [0-9]* s$" "$work/run.log" ||
      { cat "$work/run.log"; fail "./run does not tell of '$stage'"; }
  done
  ! grep -q $'[\r\033]' "$work/run.log" || fail "./run writes control characters where there is no terminal"
}

stop_run() {
  kill "$launcher"
  wait "$launcher" 2>/dev/null || true
  launcher=
}

# of this checkout's ./run alone: others may test on the same machine. A service in training has no such heap
pid_of() { pgrep -f -- "-Xmx256m .*-jar $(pwd -P)/$1/target/app/$1.jar" | head -n 1; }

refuses() { # SENTENCE COMMAND...
  local sentence=$1; shift
  if timeout 120 "$@" >"$work/refused.log" 2>&1; then fail "should have been refused: $*"; fi
  grep -q -- "$sentence" "$work/refused.log" || { cat "$work/refused.log"; fail "should have said '$sentence': $*"; }
}

# kill -9 of the launcher and of all that it has started
kill_everything() {
  local pids=$launcher pid
  for pid in $(cut -d' ' -f1 .run/pids); do
    # one that has ended may have left its number to another
    ! grep -qsF "$(pwd -P)" "/proc/$pid/cmdline" || pids+=" $pid"
  done
  # shellcheck disable=SC2086
  kill -STOP $pids
  # shellcheck disable=SC2086
  kill -KILL $pids
  wait "$launcher" 2>/dev/null || true
  launcher=
}

are_trained() { [ -e rest-to-kafka/target/app/app.aot ] && [ -e kafka-to-mongo/target/app/app.aot ]; }
is_training() { pgrep -f -- "AOTCacheOutput=$(pwd -P)/"; }

# what prepares the next start ends with ./run
stopped_training() {
  rm -f rest-to-kafka/target/app/app.aot kafka-to-mongo/target/app/app.aot
  start_run
  await 60 is_training
  stop_run
  ! is_training || fail "the training outlived ./run"
  ./run --clean
}

# by ./run, from another folder
try_contracts() {
  local code=0 run=$PWD/run
  echo true >"$work/loose.json"
  echo '{"required": ["none"]}' >"$work/strict.json"
  (cd "$work" && "$run" try-contract --records 100 loose.json) >"$work/tried.log" 2>&1 || code=$?
  [ $code -le 1 ] && grep -q 'jobs: 0 of [1-9][0-9]* stored documents would be refused' "$work/tried.log" || { cat "$work/tried.log"; fail "a contract that takes all"; }
  code=0
  (cd "$work" && "$run" try-contract --json strict.json) >"$work/tried.log" 2>/dev/null || code=$?
  [ $code = 1 ] && python3 -m json.tool "$work/tried.log" | has '"pointer": "/none"' || { cat "$work/tried.log"; fail "a contract that takes nothing"; }
  refuses 'There is no file' ./run try-contract "$work/missing.json"
}

# the tour, further commands, kill -9 of a service and then of everything, and what is stored is there after a start without security
run_and_tour() { # COMMAND...
  mine .run
  start_run
  tour
  local before after service
  all_stored
  before=$(documents)
  [ "$before" -ge 205 ] || fail "$before documents after the tour"
  refuses 'Another ./run' ./run
  CURL_HOME=$work/plain KAFKA_TO_MONGO=$scheme://localhost:9091 JOBS_KEY=${key:-} ./run erase x --note 'asked for' -- y >"$work/erased.log" ||
    { cat "$work/erased.log"; fail "./run erase"; }
  [ "$(grep -cE '("erased":true|"deadLetters":[1-9]).*"topic":"jobs-topic1","until":"2' "$work/erased.log")" = 2 ] || { cat "$work/erased.log"; fail "./run erase has erased nothing"; }
  refuses 'There is no option' ./run erase --nope x
  [ "$(status "$scheme://localhost:9091/jobs/x")" = 410 ] || fail "a job is there after its erasure"
  try_contracts
  kill -9 "$(pid_of kafka-to-mongo)"
  await 60 grep -q 'kafka-to-mongo has ended and is started again' "$work/run.log"
  await 60 ready 9091
  [ $# -eq 0 ] || "$@"
  all_stored
  before=$(documents)
  # made in the background, for the next start
  await 300 are_trained
  kill_everything
  open
  start_run
  for service in rest-to-kafka kafka-to-mongo; do
    # a JVM that can't use it says nothing
    grep -q app.aot "/proc/$(pid_of $service)/maps" || fail "$service does not use the cache of its classes"
  done
  after=$(documents)
  [ "$after" = "$before" ] || fail "$before documents before kill -9 of everything, $after after it"
  stop_run
  [ -z "$(pid_of rest-to-kafka)" ] || fail "rest-to-kafka outlived ./run"
  ./run --clean
  [ ! -e .run ] || fail "--clean left .run"
}

# from now on ./run asks for a key, and speaks TLS, as docs/security.md says
lock() {
  mine tls
  has_tls=yes
  command -v openssl >/dev/null || fail "there is no openssl"
  local role roles=()
  for role in jobs:write jobs:read jobs:erase postings:delete '*:delete' dead-letters:read dead-letters:operate operations:read; do roles+=(--role "$role"); done
  export JOBS_SECURITY_KEYS_FILE=$work/keys.ndjson JOBS_SECURITY_ENABLED=true
  key=$(./run keys create ci "${roles[@]}")
  sed -n '/^<!-- tls -->/,/^<!-- \/tls -->/p' docs/security.md | sed '/^<!--/d; /^```/d' >"$work/tls.sh"
  . "$work/tls.sh" >"$work/tls.log" 2>&1
  scheme=https
  mkdir -p "$work/curl"
  printf '%s\n' "cacert = \"$PWD/tls/authority.crt\"" "header = \"Authorization: Bearer $key\"" >"$work/curl/.curlrc"
  export CURL_HOME=$work/curl
  # without the key
  mkdir -p "$work/plain"
  printf '%s\n' "cacert = \"$PWD/tls/authority.crt\"" >"$work/plain/.curlrc"
}

open() {
  [ $scheme = https ] || return 0
  unset JOBS_SECURITY_ENABLED JOBS_SECURITY_KEYS_FILE CURL_HOME "${!SPRING_SSL_@}" SERVER_SSL_BUNDLE
  scheme=http
  rm -r tls
  has_tls=
}

# a key that ./run keys makes is enough, and without one nothing is; one that is revoked ends at once; a certificate is renewed
locked_clients() {
  local before other plain=(curl -q -s -o /dev/null -w '%{http_code}' --cacert tls/authority.crt https://localhost:9091/jobs)
  refuses 'There is a key of ci already' ./run keys create ci --role jobs:read
  for subject in 'foo=bar' 'CN=Müller' 'CN=a;b'; do
    refuses 'needs a subject' ./run keys create other --certificate "$subject" --role jobs:read
  done
  ./run keys create someone --certificate 'CN=someone,O=Acme' --role jobs:read
  ./run keys list | has someone || fail "a key that was made is not listed"
  refuses 'There is an entry for' ./run keys create other --certificate 'cn=Someone, o=ACME' --role jobs:read
  [ "$("${plain[@]}")" = 401 ] || fail "/jobs asks for no key"
  other=$(./run keys create other --role jobs:read)
  allowed() { [ "$("${plain[@]}" -H "Authorization: Bearer $other")" = "$1" ]; }
  await 10 allowed 200
  ./run keys revoke other
  await 10 allowed 401
  collection --ssl-extra-ca-certs tls/authority.crt --env-var "token=$key"
  fuzz_both --tls-verify tls/authority.crt -H "Authorization: Bearer $key"
  SSL_CERT_FILE=tls/authority.crt JOBS_KEY=$key REST_TO_KAFKA=https://localhost:9090 \
    python3 examples/jobs.py end-to-end/src/test/resources/job-postings.ndjson >"$work/example.log" 2>&1 || { cat "$work/example.log"; fail "the example with a key"; }
  grep -q stored "$work/example.log" || fail "the example with a key stored nothing"
  before=$(shown)
  # the certificate alone, not its authority
  grep -v -e '-x509 -newkey' "$work/tls.sh" >"$work/renew.sh"
  . "$work/renew.sh" >"$work/tls.log" 2>&1
  await 30 renewed "$before"
  [ "$(status https://localhost:9091/jobs)" = 200 ] || fail "no answer after the renewal"
  ! grep -rqF "$key" .run || fail "a key stands in a log, or in the data"
}

shown() { openssl s_client -connect localhost:9090 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint; }
renewed() { local now; now=$(shown) && [ -n "$now" ] && [ "$now" != "$1" ]; }

is_building() { pgrep -f -- "-Dmaven.multiModuleProjectDirectory=$(pwd -P) "; }

# its Maven ends with ./run, and the next ./run builds; background processes of a script don't heed Ctrl-C
interrupted_build() {
  local keys=$work/kept.ndjson
  rm local-stack/target/built
  ./run >"$work/run.log" 2>&1 &
  launcher=$!
  await 60 is_building
  kill "$(cat .run/launcher)"
  wait "$launcher" 2>/dev/null || true
  launcher=
  await 30 ended is_building
  [ ! -e local-stack/target/built ] || fail "a build that was interrupted counts as one"
  start_run
  # the next one waits for its end
  kill "$launcher"
  start_run
  [ "$(cat .run/launcher)" = "$launcher" ] || fail "./run does not note its number"
  stop_run
  JOBS_SECURITY_KEYS_FILE=$keys ./run keys create kept --role jobs:read >"$work/kept" 2>&1
  JOBS_SECURITY_KEYS_FILE=$keys ./run --clean | has -F "Kept $keys" || fail "--clean does not tell of the keys"
  [ -s "$keys" ] || fail "--clean has deleted the keys"
}

ended() { ! "$@"; }

# before it builds, which it would have to
run_refusals() {
  local built=local-stack/target/built
  mv "$built" "$work/built"
  ./run --help | has KAFKA_BOOTSTRAP_SERVERS
  refuses "no option '--nope'" ./run --nope
  REST_TO_KAFKA_PORT=9190 KAFKA_TO_MONGO_PORT=9190 refuses 'are both 9190' ./run
  MANAGEMENT_SERVER_PORT=9190 refuses 'for services that run alone' ./run
  SERVER_SSL_CLIENT_AUTH=need refuses 'for services that run alone' ./run
  REST_TO_KAFKA_TOPIC=orders refuses "write to the topic 'orders'" ./run
  python3 -m http.server 9090 --bind 127.0.0.1 >/dev/null 2>&1 &
  squatter=$!
  await 10 curl -s -o /dev/null http://127.0.0.1:9090/
  refuses 'Port 9090 is taken' ./run
  kill "$squatter"
  squatter=
  KAFKA_TO_MONGO_PORT=none refuses 'that is no port' ./run
  JOBS_SECURITY_ENABLED=true JOBS_SECURITY_KEYS_FILE=$work/none refuses './run keys create' ./run
  [ -e keys.ndjson ] || JOBS_SECURITY_ENABLED=true refuses './run keys create' ./run
  JOBS_RESOURCES=examples/none.yaml refuses 'examples/none.yaml, and that is no file' ./run
  JOBS_RESOURCES='' refuses 'JOBS_RESOURCES is empty' ./run
  [ ! -e .run/logs/build.log ] || fail "./run builds before it refuses"
  mv "$work/built" "$built"
  rm -rf .run
  has_block=yes
  touch .run
  refuses "can't be used" ./run
  rm .run
  has_block=
}

between() { sed -n "/^<!-- $1 -->/,/^<!-- \/$1 -->/p" "docs/${2:-your-own-documents.md}" | sed '/^<!--/d; /^```/d'; } # MARK [FILE]

has_order() { curl -sS 'http://localhost:9091/orders?state=placed' | has OR-000001; }

# kafka-to-mongo may take larger ones
contracts() { curl -sS "http://localhost:$1/contracts" | sed -E 's/"maxSize":[0-9]+//g'; }

# documents of one's own, from an empty folder, as docs/your-own-documents.md says; then jobs and orders side by side
own_documents() {
  local order
  between folder >"$work/folder.sh"
  between orders >"$work/orders.sh"
  (cd "$work" && bash -euo pipefail folder.sh)
  JOBS_RESOURCES=$work/my-documents/resources.yaml start_run
  for order in '/orders -H' '{"orderNumber":"OR-000001"'; do
    grep -qF "$order" "$work/run.log" || { cat "$work/run.log"; fail "./run does not tell of the orders"; }
  done
  bash -euo pipefail "$work/orders.sh" >"$work/orders.log" 2>&1 || { cat "$work/orders.log"; fail "the page's commands"; }
  for order in 'HTTP/1.1 202' '"pointer":"/orderNumber"' '"pointer":"/placedAt"' '"pointer":"/state"'; do
    grep -qF -- "$order" "$work/orders.log" || { cat "$work/orders.log"; fail "the page's commands did not print $order"; }
  done
  await 20 has_order
  local code=0
  echo '{"required": ["none"]}' >"$work/strict.json"
  ./run try-contract "$work/strict.json" >"$work/tried.log" 2>&1 || code=$?
  [ $code = 1 ] && grep -q 'orders: 1 of 1 stored' "$work/tried.log" || { cat "$work/tried.log"; fail "a contract is not tried with the orders that are served"; }
  for order in openapi asyncapi; do curl -sS "http://localhost:9091/$order.yaml" >"$work/$order.yaml"; done
  lint "$work/openapi.yaml" "$work/asyncapi.yaml"
  ./run postman >"$work/collection.json"
  npx --yes newman@6.2.2 run "$work/collection.json" --folder orders >"$work/newman.log" 2>&1 || { cat "$work/newman.log"; fail "./run postman"; }
  grep -q '/orders \[202 ' "$work/newman.log" || { cat "$work/newman.log"; fail "an example of ./run postman is refused"; }
  stop_run
  between versions >"$work/versions.sh"
  between updates >"$work/updates.sh"
  (cd "$work" && bash -euo pipefail versions.sh)
  JOBS_RESOURCES=$work/my-documents/resources.yaml start_run
  bash -euo pipefail "$work/updates.sh" >"$work/updates.log" 2>&1 || { cat "$work/updates.log"; fail "the page's commands for updates"; }
  for order in 'Superseded-By: 2' 'ETag: "2"' '"state": "paid"' '"version":3}' 'This document was deleted at'; do
    grep -qF -- "$order" "$work/updates.log" || { cat "$work/updates.log"; fail "the page's commands for updates did not print $order"; }
  done
  has_order || fail "an order from the time without versions is lost"
  stop_run
  ./run --clean
  JOBS_RESOURCES=examples/orders/resources.yaml start_run
  [ "$(curl -sS http://localhost:9090/orders -H 'Content-Type: application/x-ndjson' --data-binary @examples/orders/orders.ndjson | grep -c '"status":202')" = 12 ] ||
    fail "an order of examples/orders is refused"
  [ "$(cut -f1 examples/orders/refused.tsv | curl -sS http://localhost:9090/orders -H 'Content-Type: application/x-ndjson' --data-binary @- | grep -c '"status":400')" = 17 ] ||
    fail "a bad order of examples/orders is not refused"
  all_stored
  [ "$(contracts 9090)" = "$(contracts 9091)" ] || fail "the services have other contracts"
  stop_run
  ./run --clean
}

# a careers page and the crawler, as docs/crawler.md says
crawled_pages() {
  local one
  JOBS_RESOURCES=examples/postings/resources.yaml start_run
  for one in site crawl change gone; do between $one crawler.md; done >"$work/crawl.sh"
  mine my-site
  has_site=yes
  # its server ends with it, also where a command fails
  bash -euo pipefail -c 'trap "kill \$(jobs -p) 2>/dev/null || true" EXIT; . "$0"' "$work/crawl.sh" >"$work/crawl.log" 2>&1 || { cat "$work/crawl.log"; fail "the commands of docs/crawler.md"; }
  for one in '"title": "Baker"' '"title": "Head Baker"' '"postingId": "localhost:4711"' '1  gone' '1  deleted' 'This document was deleted at'; do
    grep -qF -- "$one" "$work/crawl.log" || { cat "$work/crawl.log"; fail "the commands of docs/crawler.md did not print $one"; }
  done
  has_site=
  stop_run
  # as a crawl that is under way
  python3 -c 'import fcntl, subprocess, sys
with open(".run/crawl/frontier.mv", "r+") as memory:
    fcntl.lockf(memory, fcntl.LOCK_EX)
    clean = subprocess.run(["./run", "--clean"], stderr=subprocess.PIPE, text=True)
sys.exit(clean.returncode == 0 or "crawl is under way" not in clean.stderr)' || fail "--clean deletes what a crawl knows that is under way"
  ./run --clean
}

# with keys, TLS and kills, and what it refuses
locked_run() {
  touch local-stack/target/lib/of-another-version.jar
  rm -f local-stack/target/built
  lock
  run_and_tour locked_clients
  [ ! -e local-stack/target/lib/of-another-version.jar ] || fail "jars of another version stay beside those of this one"
  stopped_training
  own_documents
  crawled_pages
  interrupted_build
  run_refusals
}

# containers, where ../shared/compose-lab is there

lab() { "$work/compose-lab/lab" "$@"; }

# of this folder: that is what Compose names its images by
image() {
  local id
  id=$(docker images -q --filter "reference=$(basename "$PWD" | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9_-')?$1" | head -n 1)
  [ -n "$id" ] || fail "there is no image of $1"
  echo "$id"
}

none_restarted() {
  local containers restarted
  containers=$(lab ps -q)
  [ "$(wc -l <<<"$containers")" -ge 4 ] || fail "only these containers run: $containers"
  # shellcheck disable=SC2086
  restarted=$(docker inspect -f '{{.RestartCount}} {{.Name}}' $containers | grep -v '^0 ' || true)
  [ -z "$restarted" ] || fail "a container was restarted: $restarted"
}

# beside tests: nothing there is about time
start_images() {
  [ -x "$shared/compose-lab/lab" ] || return 0
  # a copy that is writable: the images take over the files' modes, and Kafka wants to write its configuration
  cp -r "$shared/compose-lab" "$shared/mongo" "$work/"
  chmod -R u+w "$work/compose-lab" "$work/mongo"
  # a group of its own, so that all of it can be ended
  set -m
  (set -e; lab start-docker; lab images; LAB_COMPOSE=v1 lab build) >"$work/images.log" 2>&1 </dev/null &
  images=$!
  set +m
}

await_images() {
  [ -n "$images" ] || return 0
  wait "$images" || { tail -n 50 "$work/images.log"; fail "Docker's images"; }
  images=
}

compose_and_tour() { # FILE VERSION COMMAND...
  export COMPOSE_FILE=$1 LAB_COMPOSE=$2
  shift 2
  has_containers=yes
  lab up -d --build >"$work/compose.log" 2>&1 || { tail -n 50 "$work/compose.log"; fail "up"; }
  await 120 ready 9090
  await 120 ready 9091
  tour
  lab exec -T mongo mongosh --quiet db --eval 'db.jobs.findOne({title: "Engineer"})' | has Acme || fail "no document in the container"
  local before after codec service one
  for one in "$@"; do "$one"; done
  all_stored
  # each of them brings a library of its own to /tmp, or none
  for codec in gzip snappy lz4 zstd; do
    printf '%s:{"title": "Compressed", "description": "%0500d"}\n' "$codec" 7 | kcat -P -X broker.address.family=v4 -b localhost:9092 -t jobs-topic1 -K: -z "$codec"
    [ "$(status -H 'Prefer: wait=10' "http://localhost:9091/jobs/$codec")" = 200 ] || fail "a record with $codec is not stored"
  done
  all_stored
  before=$(documents)
  none_restarted
  lab down >"$work/compose.log" 2>&1
  lab up -d >"$work/compose.log" 2>&1 || { tail -n 50 "$work/compose.log"; fail "up again"; }
  await 120 ready 9090
  await 120 ready 9091
  after=$(documents)
  [ "$after" = "$before" ] || fail "$before documents before down and up, $after after it"
  for service in rest-to-kafka kafka-to-mongo; do
    lab exec -T $service grep -q app.aot /proc/1/maps || fail "$service does not use the cache of its classes"
    [ "$(lab exec -T $service grep -E '^(CapBnd:.0*|NoNewPrivs:.1)$' /proc/1/status | wc -l)" = 2 ] || fail "$service has capabilities, or may get some"
    ! lab exec -T $service touch /app/file 2>"$work/touch.log" || fail "$service can write its files"
    grep -q 'Read-only file system' "$work/touch.log" || fail "$service has files that are not read-only"
  done
  none_restarted
  lab down -v >"$work/compose.log" 2>&1
  has_containers=
  unset COMPOSE_FILE LAB_COMPOSE
}

# what .ci/run has, and .ci/night before anything else
gate() {
  mine .run tls
  part "installing what is missing" install
  part "prose" prose
  part "API documents and alerts" documents_and_alerts
  part "mvn verify" env CI=true mvn -B -ntp verify -Dbackends=embedded
  start_images
  # where there is a mongod, these come later, with its fail points and rights
  local excluded=night
  ! has_mongod || excluded=night,mongod
  part "kills, bounds, console, waits" end_to_end -Dgroups=long -DexcludedGroups=$excluded
  part "waiting for Docker's images" await_images
  if has_mongod; then
    part "chaos and least rights, with a mongod" with_mongod end_to_end -pl end-to-end -am -Dgroups='long & mongod' -DexcludedGroups=night
    ran end-to-end ChaosTests LeastRightsTests
  else
    untried+=("the chaos run with fail points, and the least rights at MongoDB: there is no ../shared/mongo")
  fi
  if command -v mongosh >/dev/null; then
    part "./run with keys and TLS, the tour, kills and restarts" locked_run
  else
    untried+=("./run, the tour, kills, security, TLS: there is no mongosh")
  fi
  if [ -x "$shared/compose-lab/lab" ]; then
    docker-compose -f docker-compose.yml -f docker-compose.observability.yml config --quiet
    docker-compose -f docker-compose.cluster.yml config --quiet
    JOBS_CONFIG=./examples/orders docker-compose -f docker-compose.yml -f docker-compose.resources.yml config --quiet
    part "docker-compose.yml, the tour, Postman's collection and the examples" compose_and_tour docker-compose.yml v1 collection examples
  else
    untried+=("containers: there is no ../shared/compose-lab")
  fi
}
