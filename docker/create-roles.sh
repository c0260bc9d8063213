#!/bin/sh
# Run once by the Postgres image on an empty data folder: the platform's login role, and the engine's own user.
set -eu
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  -v runtime_password="$RUNTIME_PASSWORD" -v temporal_password="$TEMPORAL_PASSWORD" <<'SQL'
CREATE ROLE tillway LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'runtime_password';
CREATE ROLE temporal LOGIN CREATEDB NOSUPERUSER NOCREATEROLE PASSWORD :'temporal_password';
SQL
