# What ./run refuses before it builds: to be sourced by a script that has a function "fail".

is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# whether something is there that an earlier ./run has left: it has some time for its end
is_leftover() {
  local pid
  [ -f .run/pids ] || return 1
  while read -r pid _; do
    ! kill -0 "$pid" 2>/dev/null || return 0
  done <.run/pids
  return 1
}

# one that nobody listens on, and that is none of the two given ones and of Kafka's and MongoDB's
free_port() { # ABOVE
  local port=$(($1 + 1))
  [ "$port" -lt 65000 ] || port=10000
  while [ "$port" = "$rest" ] || [ "$port" = "$mongo" ] || [[ $port =~ ^(9092|27017)$ ]] || is_taken "$port"; do port=$((port + 1)); done
  echo "$port"
}

port() { # VARIABLE OTHERWISE
  local port=${!1-$2}
  [[ $port =~ ^[1-9][0-9]{0,4}$ ]] && [ "$port" -le 65535 ] ||
    fail "$1 is '$port', and that is no port: leave it out for port $2, or set it to one of 1 to 65535."
  echo "$port"
}

require_free() { # PORT VARIABLE
  ! is_taken "$1" ||
    fail "Port $1 is taken: stop the program that listens there, or choose another port, as $2=$(free_port "$1") ./run"
}

port_for() { # NAME PORT
  local port=$2
  if is_taken "$port"; then
    port=$(free_port "$port")
    echo "Port $2 is taken: $1 gets port $port" >&2
  fi
  echo "$port"
}

# else the services end with the same reason, below a stack trace
require_keys() {
  case $(printf %s "${JOBS_SECURITY_ENABLED:-}" | tr '[:upper:]' '[:lower:]') in true | on | yes | 1) ;; *) return 0 ;; esac
  local create="make one with ./run keys create ann --role jobs:write --role jobs:read"
  if [ -n "${JOBS_SECURITY_KEYS_FILE:-}" ]; then
    [ -f "$JOBS_SECURITY_KEYS_FILE" ] && [ -r "$JOBS_SECURITY_KEYS_FILE" ] ||
      fail "Security is on, and there is no file of API keys at $JOBS_SECURITY_KEYS_FILE that can be read: $create"
    return
  fi
  # each of these may name an issuer, or another file
  [ -z "${!SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUER*}${!SPRING_CONFIG_*}${!JOBS_SECURITY_KEYSFILE*}" ] || return 0
  [ -z "${SPRING_APPLICATION_JSON:-}${JAVA_TOOL_OPTIONS:-}${JDK_JAVA_OPTIONS:-}" ] || return 0
  ! compgen -G 'application*' >/dev/null && ! compgen -G 'config/application*' >/dev/null || return 0
  fail "Security is on, and there is no API key: $create, or name an issuer of tokens, see docs/security.md."
}

# else the services end with the same reason, below a stack trace
require_resources() {
  [ -n "${JOBS_RESOURCES+given}" ] || return 0
  local file=${JOBS_RESOURCES#file:}
  case $file in ///*) file=${file#//} ;; esac
  [ -n "$file" ] || fail "JOBS_RESOURCES is empty: leave it out for jobs alone, or set it to a file such as examples/orders/resources.yaml"
  [ -f "$file" ] && [ -r "$file" ] || fail "JOBS_RESOURCES names $file, and that is no file that can be read."
}

# whether another ./run of this folder builds
is_building() {
  local other
  other=$(cat .run/launcher 2>/dev/null) && [ "$other" != $$ ] && ps -p "$other" -o args= 2>/dev/null | grep -qE 'bash ([^ ]*/)?run$'
}

require_no_build() {
  ! is_building || fail "Another ./run is building in $PWD: stop it first, with Ctrl-C or kill \$(cat .run/launcher)."
}

check() {
  require_no_build
  if [ -n "${MANAGEMENT_SERVER_PORT:-}${MANAGEMENT_SERVER_SSL_ENABLED:-}" ] || [[ ${SERVER_SSL_CLIENT_AUTH:-} == [nN][eE][eE][dD] ]]; then
    fail "MANAGEMENT_SERVER_PORT and _SSL_ENABLED, and SERVER_SSL_CLIENT_AUTH=need, are for services that run alone."
  fi
  local rest mongo written=${REST_TO_KAFKA_TOPIC-jobs-topic1} read=${KAFKA_TO_MONGO_TOPIC-jobs-topic1}
  rest=$(port REST_TO_KAFKA_PORT 9090)
  mongo=$(port KAFKA_TO_MONGO_PORT 9091)
  [ "$rest" != "$mongo" ] || fail "REST_TO_KAFKA_PORT and KAFKA_TO_MONGO_PORT are both $rest: set one of them to another port."
  # else each job would be answered 202, and nobody would store it
  [ "$written" = "$read" ] ||
    fail "rest-to-kafka would write to the topic '$written' and kafka-to-mongo read '$read': set REST_TO_KAFKA_TOPIC and KAFKA_TO_MONGO_TOPIC to one name."
  require_keys
  require_resources
  ! is_leftover || return 0
  require_free "$rest" REST_TO_KAFKA_PORT
  require_free "$mongo" KAFKA_TO_MONGO_PORT
  [ -n "${KAFKA_BOOTSTRAP_SERVERS+given}" ] || options+=(-Dkafka.port="$(port_for Kafka 9092)")
  [ -n "${MONGODB_URI+given}" ] || options+=(-Dmongo.port="$(port_for MongoDB 27017)")
}
