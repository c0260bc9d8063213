#!/bin/sh
# Run once by the Postgres image on an empty data folder: the engine's own user. The platform's logins are made by prepare.
set -eu
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  -v temporal_password="$(cat /run/secrets/postgres_temporal_password)" <<'SQL'
CREATE ROLE temporal LOGIN CREATEDB NOSUPERUSER NOCREATEROLE PASSWORD :'temporal_password';
SQL
