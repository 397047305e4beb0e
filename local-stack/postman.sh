# Postman's collection for the resources of a running pair, made from its OpenAPI document.

postman_usage() {
  cat <<'EOT'
Usage: ./run postman >collection.json

Prints a collection for Postman with the requests of a running pair, for the resources of its file. Without a file it is
contract/jobs.postman_collection.json. kafka-to-mongo must run, at KAFKA_TO_MONGO (http://localhost:9091). REST_TO_KAFKA
(http://localhost:9090) and that address stand in the collection.
EOT
}

postman() { # [--help]
  local api rest_to_kafka=${REST_TO_KAFKA:-http://localhost:${REST_TO_KAFKA_PORT:-9090}}
  local kafka_to_mongo=${KAFKA_TO_MONGO:-http://localhost:${KAFKA_TO_MONGO_PORT:-9091}}
  case ${1:-} in
    "") ;;
    -h | --help) postman_usage; return ;;
    *) fail "There is no option '$1', see ./run postman --help." ;;
  esac
  api=$(curl -fsS --max-time 30 "$kafka_to_mongo/openapi.yaml") || fail "kafka-to-mongo does not answer at $kafka_to_mongo."
  # with a file of resources it is JSON
  case $api in
    "{"*) ;;
    *) cat contract/jobs.postman_collection.json; return ;;
  esac
  [ -d local-stack/target/lib ] || fail "What makes the collection is not built: start ./run once."
  "$(find_jdk25)/bin/java" -Xmx64m -cp "local-stack/target/classes:local-stack/target/lib/*" jobs.localstack.PostmanCollection \
    "$rest_to_kafka" "$kafka_to_mongo" <<<"$api"
}
