#!/usr/bin/env bash
# Gives both services the rights that they need at a Kafka that forbids by default, and no more.
set -euo pipefail

usage() {
  cat <<'EOF'
Usage: deploy/kafka-rights.sh [--create-topics] BOOTSTRAP_SERVERS [OPTION_OF_KAFKA_ACLS...]

Needs Kafka's kafka-acls (or kafka-acls.sh) on the PATH, or named by KAFKA_ACLS. Options such as --command-config FILE are for that.
--create-topics allows the services to create their topics, too. What is there already stays.

The names come from these variables:

  REST_TO_KAFKA_USER, KAFKA_TO_MONGO_USER   who the services are: rest-to-kafka, kafka-to-mongo
  KAFKA_TO_MONGO_TOPIC                      jobs-topic1
  KAFKA_TO_MONGO_DEAD_LETTER_TOPIC          jobs-topic1-dlt
  SPRING_KAFKA_CONSUMER_GROUP_ID            group-id-1
EOF
}

create=
case "${1:-}" in
  -h | --help | "") usage; exit ;;
  --create-topics) create=yes; shift ;;
esac
servers=${1:?BOOTSTRAP_SERVERS are missing, see --help}
options=("${@:2}")
acls=${KAFKA_ACLS:-$(command -v kafka-acls || command -v kafka-acls.sh)} || { echo "There is no kafka-acls on the PATH, see --help." >&2; exit 1; }
topic=${KAFKA_TO_MONGO_TOPIC:-jobs-topic1}
dead_letters=${KAFKA_TO_MONGO_DEAD_LETTER_TOPIC:-jobs-topic1-dlt}
group=${SPRING_KAFKA_CONSUMER_GROUP_ID:-group-id-1}

allow() { # USER OPERATION KIND NAME
  "$acls" --bootstrap-server "$servers" ${options[@]+"${options[@]}"} --add --allow-principal "User:$1" --operation "$2" "--$3" "$4"
}

rest_to_kafka=${REST_TO_KAFKA_USER:-rest-to-kafka}
kafka_to_mongo=${KAFKA_TO_MONGO_USER:-kafka-to-mongo}

# takes jobs; a producer that sends each job once needs no right on the cluster since Kafka 2.8
allow "$rest_to_kafka" Write topic "$topic"
# warns of settings that lose jobs, and knows that its topic is read (that nobody reads it, it knows with Describe on the cluster alone)
allow "$rest_to_kafka" DescribeConfigs topic "$topic"
allow "$rest_to_kafka" Describe group "$group"

# stores jobs, and writes them once more for a replay
allow "$kafka_to_mongo" Read topic "$topic"
allow "$kafka_to_mongo" Write topic "$topic"
# keeps what can't be stored, and shows it
allow "$kafka_to_mongo" Read topic "$dead_letters"
allow "$kafka_to_mongo" Write topic "$dead_letters"
allow "$kafka_to_mongo" Read group "$group"
allow "$kafka_to_mongo" Read group "$group-dead-letters"
# remembers how far jobs are stored, in case somebody else commits in its group
allow "$kafka_to_mongo" Read group "$group-stored"
# tells how long a job may wait, and warns of settings that lose records
allow "$kafka_to_mongo" DescribeConfigs topic "$topic"
allow "$kafka_to_mongo" DescribeConfigs topic "$dead_letters"

if [ -n "$create" ]; then
  allow "$rest_to_kafka" Create topic "$topic"
  allow "$kafka_to_mongo" Create topic "$topic"
  allow "$kafka_to_mongo" Create topic "$dead_letters"
fi
