#!/bin/sh
# Asks a PostgreSQL server (PGHOST, PGPORT, PGUSER) for the OID, the text and the binary form of the values in
# expressions.txt, and writes values.json, which the tests compare with. Lines: time zone | PostgreSQL | dialect, where it differs.
set -eu
cd "$(dirname "$0")"
ask() { PGTZ="$1" psql -XAtq -v ON_ERROR_STOP=1 -c "$2"; }
{
  printf '{"server": "%s", "values": [' "$(ask UTC 'SHOW server_version')"
  separator=''
  while IFS='|' read -r zone expression dialect; do
    row=$(ask "$zone" "SELECT pg_typeof(v)::oid, to_json(CASE WHEN pg_typeof(v) = 'boolean'::regtype THEN left(v::text, 1) ELSE v::text END) FROM (SELECT $expression) AS q(v)")
    bytes=$(PGTZ="$zone" psql -XAtq -c "COPY (SELECT $expression) TO STDOUT (FORMAT binary)" | od -An -v -tx1 | tr -d ' \n' | cut -c43- | sed 's/ffff$//')
    text=${row#*|}
    printf '%s\n{"zone": "%s", "sql": %s, "oid": %s, "text": %s, "binary": %s}' "$separator" "$zone" \
      "$(printf '%s' "${dialect:-$expression}" | sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&"/')" "${row%%|*}" "${text:-null}" \
      "$(case "$bytes" in ffffffff) printf null ;; *) printf '"%s"' "$(printf %s "$bytes" | cut -c9-)" ;; esac)"
    separator=','
  done <expressions.txt
  printf '\n]}\n'
} >values.json
