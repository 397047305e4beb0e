# The JDK 25 of this machine, whatever its default Java is, and what is done with it: to be sourced by a script that has a
# function "fail".

is_jdk25() { [ -x "$1/bin/javac" ] && grep -qs '^JAVA_VERSION="25[."]' "$1/release"; }

find_jdk25() {
  local home
  if [ -n "${JAVA25_HOME:-}" ]; then
    is_jdk25 "$JAVA25_HOME" || fail "JAVA25_HOME is '$JAVA25_HOME', and there is no JDK 25 in it."
    echo "$JAVA25_HOME"
    return
  fi
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
    /opt/jdk* /opt/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "$(dirname "$(dirname "$(readlink -f "$(command -v javac)" 2>/dev/null)")" 2>/dev/null)"; do
    if is_jdk25 "$home"; then
      echo "$home"
      return
    fi
  done
  fail "A JDK 25 is needed and none was found: install one (e.g. Eclipse Temurin), or name its folder in JAVA25_HOME."
}

# whether none is up, after one that was told to end has heeded it
ends_soon() {
  for _ in $(seq 30); do
    is_up || return 0
    sleep 0.1
  done
  return 1
}

# whether a ./run of this folder is up, whose jars must stay
is_up() { [ -f .run/launcher ] && ps -p "$(cat .run/launcher)" -o args= 2>/dev/null | grep -q jobs.localstack.LocalStack; }

unpack() { # JDK SERVICE
  local app=$PWD/$2/target/app
  rm -rf "$app"
  "$1/bin/java" -Djarmode=tools -jar "$2/target/$2.jar" extract --destination "$app" \
    --application-filename "$2.jar"
}

# unpacks a service's jar, and makes the cache for its start, which is good for this path alone
train() { # JDK SERVICE
  local app=$PWD/$2/target/app
  unpack "$1" "$2" && local-stack/train.sh "$1/bin/java" "$app/$2.jar" "$app/app.aot"
}
