# API keys: the file has a JSON object a line, with the hash of each key. The services read it again within a second of a change.

keys_roles=" jobs:write jobs:read jobs:erase dead-letters:read dead-letters:operate operations:read operations:write "

keys_usage() {
  cat <<EOF
Usage: ./run keys create NAME --role ROLE [--role ROLE ...] [--expires DATE] [--jobs-per-second N] [--bytes-per-second N]
       ./run keys create NAME --certificate SUBJECT --role ROLE ...
       ./run keys list
       ./run keys revoke NAME

Makes an API key, prints it once, and adds its hash to the file JOBS_SECURITY_KEYS_FILE, or keys.ndjson. A service takes it within a
second, where JOBS_SECURITY_ENABLED is true. With --certificate, a client certificate of that subject takes the place of a key. DATE is the day it ends to be valid, in UTC, such as 2027-12-31.

Roles:$keys_roles
Of a resource such as orders: orders:write orders:read orders:delete orders:erase orders:dead-letters:read orders:dead-letters:operate, and * for each
EOF
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c 1-64; }

is_day() {
  [[ $1 =~ ^(20[0-9]{2})-([01][0-9])-([0-3][0-9])$ ]] || return 1
  local year=${BASH_REMATCH[1]} month=$((10#${BASH_REMATCH[2]})) day=$((10#${BASH_REMATCH[3]})) days=(0 31 28 31 30 31 30 31 31 30 31 30 31)
  [ $((year % 4)) -ne 0 ] || days[2]=29
  [ "$month" -ge 1 ] && [ "$month" -le 12 ] && [ "$day" -ge 1 ] && [ "$day" -le "${days[month]}" ]
}

# what the services read for sure: one line that they can't read would keep them from reading all others
is_subject() {
  local LC_ALL=C field='(CN|OU|O|C|L|ST|STREET|DC|UID|cn|ou|o|c|l|st|street|dc|uid)=[] !$-*./0-:?-[^-~'"'"'-]+'
  [[ $1 =~ ^$field(,\ ?$field)*$ ]]
}

# neither case nor spaces tell subjects apart
same_subject() { tr 'A-Z' 'a-z' | sed -E 's/ *([,=]) */\1/g; s/ +/ /g'; }

keys_certificates() { [ ! -f "$keys_file" ] || sed -n 's/.*"certificate":"\([^"]*\)".*/\1/p' "$keys_file" | same_subject; }

# the lines of a name, or with "other" all others; our own lines have the name first
keys_of() { awk -v start="{\"name\":\"$1\"," -v other="${2:-}" '(index($0, start) == 1) == (other == "")' "$keys_file"; }

keys_has() { [ -f "$keys_file" ] && [ -n "$(keys_of "$1")" ]; }

# of the pair as it comes, or of a resource; the services know which resources there are
is_role() { # ROLE
  case "$1" in *" "*) return 1 ;; esac
  case "$keys_roles" in *" $1 "*) return 0 ;; esac
  [[ $1 =~ ^([a-z][a-z0-9-]{0,39}|\*):(dead-letters:(read|operate)|write|read|delete|erase)$ ]] &&
    [[ $1 = jobs:delete || ! $1 =~ ^(jobs|dead-letters|operations): ]]
}

keys_add() { # NAME PROOF ROLES REST
  [ ! -s "$keys_file" ] || [ -z "$(tail -c 1 "$keys_file")" ] || echo >>"$keys_file"
  (umask 077 && printf '{"name":"%s",%s,"roles":[%s]%s}\n' "$@" >>"$keys_file")
}

keys_create() {
  local name=$1 roles= rest= key= hash certificate=
  shift
  while [ $# -gt 0 ]; do
    case "$1" in
      --role)
        is_role "${2:-?}" || fail "There is no role '${2:-}'. Roles:${keys_roles}and those of resources, such as orders:read"
        roles+="${roles:+,}\"$2\""
        ;;
      --certificate)
        is_subject "${2:-}" || fail "--certificate needs a subject of ASCII letters, such as CN=ann,O=Acme."
        certificate=$2
        ;;
      --expires)
        is_day "${2:-}" || fail "--expires needs a day, such as 2027-12-31."
        [[ $2 > $(date -u +%F) ]] || fail "--expires is not after today, in UTC: the key would have ended."
        rest+=",\"expires\":\"$2T00:00:00Z\""
        ;;
      --jobs-per-second | --bytes-per-second)
        [[ ${2:-} =~ ^[1-9][0-9]{0,8}$ ]] || fail "$1 needs a number below 1000000000, such as 100."
        [ "$1" = --jobs-per-second ] && rest+=",\"jobsPerSecond\":$2" || rest+=",\"bytesPerSecond\":$2"
        ;;
      *) fail "There is no option '$1', see ./run keys --help." ;;
    esac
    shift 2
  done
  [ -n "$roles" ] || fail "A key needs a --role, see ./run keys --help."
  ! keys_has "$name" || fail "There is a key of $name already: revoke it, or take another name."
  if [ -n "$certificate" ]; then
    # grep -q would end at the first match, and under pipefail what writes to it could fail
    ! keys_certificates | grep -xF -- "$(same_subject <<<"$certificate")" | cat >/dev/null || fail "There is an entry for $certificate already: revoke it first."
    keys_add "$name" "\"certificate\":\"$certificate\"" "$roles" "$rest"
    echo "A certificate of $certificate may do that now." >&2
    return
  fi
  key=jobs_$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n')
  hash=$(printf %s "$key" | sha256)
  [ ${#key} = 48 ] && [ ${#hash} = 64 ] || fail "A key needs /dev/urandom, base64, and sha256sum or shasum."
  keys_add "$name" "\"sha256\":\"$hash\"" "$roles" "$rest"
  echo "$key"
  echo "The key of $name is above. It is shown this once; $keys_file has its hash." >&2
}

# whoever reads the file meanwhile finds all of it; owner and rights stay, and a link still leads to it
keys_revoke() {
  keys_has "$1" || fail "There is no key of $1 in $keys_file."
  local file new
  file=$(readlink -f "$keys_file")
  new=$(mktemp "$file.XXXXXX")
  cp -p "$file" "$new"
  keys_of "$1" other >"$new"
  mv "$new" "$file"
  echo "The key of $1 is revoked." >&2
}

# one at a time: else one of two changes could be lost
keys_alone() {
  local lock=$keys_file.lock
  [ -d "$(dirname "$keys_file")" ] || fail "There is no folder $(dirname "$keys_file") for the file of keys: make it first."
  mkdir "$lock" 2>/dev/null || fail "Another ./run keys is at work; if none is, delete the folder $lock."
  # shellcheck disable=SC2064
  trap "rmdir '$lock'" EXIT
  "$@"
}

keys() {
  keys_file=${JOBS_SECURITY_KEYS_FILE:-keys.ndjson}
  case "${1:-}" in
    create | revoke)
      [[ ${2:-} =~ ^[A-Za-z0-9_.@-]{1,100}$ ]] || fail "A name has 1 to 100 letters, digits or . _ @ -, see ./run keys --help."
      keys_alone "keys_$1" "${@:2}"
      ;;
    list) [ ! -f "$keys_file" ] || sed -E 's/"sha256":"[^"]*",?//; s/[{}"]//g; s/^name://' "$keys_file" ;;
    -h | --help | "") keys_usage ;;
    *) fail "There is no '$1', see ./run keys --help." ;;
  esac
}
