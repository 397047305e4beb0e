# Crawls career pages: the crawler's jar does it, and hands the postings to the ./run that is up. To be sourced by a script that
# has a function "fail" and find_jdk25.

build_crawler() { # JDK
  local log=.run/logs/crawler.log built=crawler/target/built
  [ ! -f "$built" ] || [ -n "$(find pom.xml crawler/pom.xml crawler/src/main -newer "$built" | head -n 1)" ] || return 0
  command -v mvn >/dev/null || fail "Maven is needed and there is no mvn on the PATH."
  mkdir -p .run/logs
  echo "Building the crawler; see $log" >&2
  JAVA25_HOME=$1 mvn -B -Dstyle.color=never -pl crawler package -Dmaven.test.skip=true -Dspring-javaformat.validate.skip \
    -Dcheckstyle.skip >"$log" 2>&1 || { grep '^\[ERROR\]' "$log" | head -n 20 >&2; fail "The build failed, see $log."; }
  touch "$built"
}

crawl() { # OPTION... URL...
  local jar=$PWD/crawler/target/crawler.jar jdk
  jdk=$(find_jdk25)
  build_crawler "$jdk"
  export CRAWLER_STATE=${CRAWLER_STATE:-$PWD/.run/crawl}
  export CRAWLER_TO=${CRAWLER_TO:-http://localhost:${REST_TO_KAFKA_PORT:-9090}/postings}
  # a relative path is the caller's
  cd "$called_from"
  exec "$jdk/bin/java" -Xmx256m -XX:+UseSerialGC -jar "$jar" "$@"
}
