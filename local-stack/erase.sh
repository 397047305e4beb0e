# Erases jobs by their ids: kafka-to-mongo does it, and says what Kafka still has.

erase_usage() {
  cat <<'EOF'
Usage: ./run erase [--resource NAME] [--note TEXT] [--] ID [ID ...]

Erases jobs, or documents of another resource, with their dead letters in MongoDB, whether they are stored yet or not. A mark stays of each, so that nothing of it is stored
again. For each it prints what was erased, and until when Kafka has records of it. kafka-to-mongo must run, at KAFKA_TO_MONGO
(http://localhost:9091). Where security is on, JOBS_KEY must be a key with the role jobs:erase,
or that of the resource, such as orders:erase.
EOF
}

erase() { # [--resource NAME] [--note TEXT] ID...
  local resource=jobs note=() ids=() id answer failed=
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) erase_usage; return ;;
      --note) [ $# -ge 2 ] || fail "--note needs a text."; note=(--data-urlencode "note=$2"); shift 2 ;;
      --resource)
        [[ ${2:-} =~ ^[a-z][a-z0-9-]{0,39}$ ]] || fail "--resource needs the name of a resource, such as orders."
        resource=$2
        shift 2
        ;;
      --) shift; ids+=("$@"); break ;;
      --*) fail "There is no option '$1', see ./run erase --help. An id that begins with -- comes behind --." ;;
      *) ids+=("$1"); shift ;;
    esac
  done
  [ ${#ids[@]} -ge 1 ] || { erase_usage >&2; exit 2; }
  for id in "${ids[@]}"; do
    [ -n "$id" ] || fail "An id is empty."
    # the key by standard input, since others may list the arguments of a process
    answer=$(printf '%s' "${JOBS_KEY:+header = \"Authorization: Bearer $JOBS_KEY\"}" |
      curl -sS -K - --max-time 30 -w '\n%{http_code}' -G -X DELETE -H 'Accept: application/json' \
        --data-urlencode "id=$id" ${note[@]+"${note[@]}"} "${KAFKA_TO_MONGO:-http://localhost:${KAFKA_TO_MONGO_PORT:-9091}}/$resource") ||
      answer+=$'\n'000
    [ "${answer##*$'\n'}" = 000 ] || printf '%s\n' "${answer%$'\n'*}"
    [ "${answer##*$'\n'}" = 200 ] || { echo "run: '$id' is not erased, or not all of it." >&2; failed=yes; }
    case $answer in *"No endpoint DELETE /$resource."*) echo "run: the pair has no $resource: --resource names another resource, such as orders." >&2 ;; esac
    case $answer in *'"hasMore":true'*) echo "run: '$id' has more dead letters: erase it once more." >&2; failed=yes ;; esac
  done
  [ -z "$failed" ] || exit 1
}
