-- id_made_at, version 1
--
-- The beginning that ids share which are made in that millisecond, and that sorts before them: the prefix of their kind,
-- and the time as TypeID writes it (ten digits of base 32). Times that have no such id become the first or the last one.
--
--   prefix   of the kind, such as pay
--   made_at  the time
CREATE OR REPLACE FUNCTION id_made_at(prefix text, made_at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (ms >> (5 * place) & 31)::integer + 1, 1),
    '' ORDER BY place DESC)
  FROM (SELECT least(greatest(trunc(extract(epoch FROM made_at) * 1000), 0), 281474976710655)::bigint AS ms) t,
    generate_series(0, 9) place
$$;
