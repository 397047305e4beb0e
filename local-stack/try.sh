# Tries a new contract: kafka-to-mongo's jar does it, with the Kafka and the MongoDB of the ./run that is up, or those of the
# environment.

try_usage() {
  cat <<'EOF'
Usage: ./run try-contract [--resource NAME] [--records N] [--json] [--backtracking] [--annotate-formats] SCHEMA_FILE

Tells how many of the stored documents a new contract would refuse, and how many of the open dead letters would pass. It only reads.
The exit code is 0 where it would refuse nothing, 1 where it would refuse documents or records, and 2 where it can't be tried.

  --resource NAME      the resource whose contract it would be, where there are several
  --records N          try the last N records of the topic, too
  --json               print the outcome as one JSON object
  --backtracking       allow patterns that need backtracking, as "patterns: backtracking" does
  --annotate-formats   don't refuse by "format", as "formats: annotate" does

It asks the Kafka and the MongoDB of the ./run that is up here, with its file of resources, or those at KAFKA_BOOTSTRAP_SERVERS and
MONGODB_URI, with the file in JOBS_RESOURCES.
EOF
}

# the note of one that was killed is of no use
noted() { ! is_up || sed -n "s/^$1=//p" .run/addresses 2>/dev/null || true; }

unable() {
  echo "run: $*" >&2
  exit 2
}

try_contract() { # OPTION... FILE
  local arguments=() jar=kafka-to-mongo/target/app/kafka-to-mongo.jar mongo kafka jdk options=()
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) try_usage; exit ;;
      --resource | --records) [ $# -ge 2 ] || unable "$1 needs a value, see ./run try-contract --help."; arguments+=("$1" "$2"); shift ;;
      -* | /*) arguments+=("$1") ;;
      # as the caller's shell means it
      *) arguments+=("$called_from/$1") ;;
    esac
    shift
  done
  [ ${#arguments[@]} -gt 0 ] || { try_usage >&2; exit 2; }
  [ -f "$jar" ] || unable "The services are not built yet: start ./run once."
  mongo=${SPRING_MONGODB_URI:-${MONGODB_URI:-$(noted MONGODB_URI)}}
  kafka=${SPRING_KAFKA_BOOTSTRAP_SERVERS:-${KAFKA_BOOTSTRAP_SERVERS:-$(noted KAFKA_BOOTSTRAP_SERVERS)}}
  [ -n "$mongo" ] || unable "No ./run is up here: start one, or name a MongoDB in MONGODB_URI."
  # it is asked for records alone
  case " ${arguments[*]} " in *" --records "*) [ -n "$kafka" ] || unable "No ./run is up here: start one, or name a Kafka in KAFKA_BOOTSTRAP_SERVERS." ;; esac
  [ -n "${JOBS_RESOURCES:-}" ] || JOBS_RESOURCES=$(noted JOBS_RESOURCES)
  if [ -n "$JOBS_RESOURCES" ]; then export JOBS_RESOURCES; else unset JOBS_RESOURCES; fi
  jdk=$(find_jdk25)
  # standard output is the outcome alone
  options+=(-Xlog:disable -Xlog:all=warning:stderr)
  [ ! -t 2 ] || [ "${TERM:-dumb}" = dumb ] || options+=(-Dmoves=true)
  [ ! -f "${jar%/*}/app.aot" ] || options+=(-XX:AOTCache="${jar%/*}/app.aot")
  # the services go first
  SPRING_MONGODB_URI=$mongo SPRING_KAFKA_BOOTSTRAP_SERVERS=${kafka:-localhost:9092} \
    exec nice -n 19 "$jdk/bin/java" -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 ${options[@]+"${options[@]}"} -jar "$jar" try-contract "${arguments[@]}"
}
