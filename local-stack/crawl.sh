# Crawls career pages: the crawler's jar does it, and hands the postings to the ./run that is up. To be sourced by a script that
# has a function "fail" and find_jdk25.

build_crawler() { # JDK
  local log=.run/logs/crawler.log
  mkdir -p .run/logs
  # two at once would write into one another's files
  ! command -v flock >/dev/null || { exec 8>.run/logs/crawler.lock && flock 8; }
  if [ -f .run/crawler.jar ] && [ -z "$(find pom.xml crawler/pom.xml crawler/src/main -newer .run/crawler.jar | head -n 1)" ]; then
    exec 8>&-
    return
  fi
  command -v mvn >/dev/null || fail "Maven is needed and there is no mvn on the PATH."
  # what changes during the build is newer than it
  touch .run/logs/crawler.building
  echo "Building the crawler; see $log" >&2
  JAVA25_HOME=$1 mvn -B -Dstyle.color=never -pl crawler package -Dmaven.test.skip=true -Dspring-javaformat.validate.skip \
    -Dcheckstyle.skip >"$log" 2>&1 || { grep '^\[ERROR\]' "$log" | head -n 20 >&2; fail "The build failed, see $log."; }
  # a copy, so that a crawl of days goes on while another one builds anew
  cp crawler/target/crawler.jar .run/crawler.jar.new
  touch -r .run/logs/crawler.building .run/crawler.jar.new
  mv .run/crawler.jar.new .run/crawler.jar
  exec 8>&-
}

crawl() { # OPTION... URL...
  local jar=$PWD/.run/crawler.jar jdk
  jdk=$(find_jdk25)
  build_crawler "$jdk"
  export CRAWLER_STATE=${CRAWLER_STATE:-$PWD/.run/crawl}
  export CRAWLER_TO=${CRAWLER_TO:-http://localhost:${REST_TO_KAFKA_PORT:-9090}/postings}
  # a relative path is the caller's
  cd "$called_from"
  exec "$jdk/bin/java" "-Xmx${CRAWLER_HEAP:-256m}" -XX:+UseSerialGC -jar "$jar" "$@"
}
