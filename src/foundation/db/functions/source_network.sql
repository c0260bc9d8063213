-- source_network, version 1
--
-- What counts as one source in limits: an IPv4 address, or the network of an IPv6 address. Whoever has one IPv6 address has
-- 2^64 of them (RFC 4291, section 2.5.4).
--
--   address    an IPv4 or IPv6 address as text, an IPv4 address in the IPv6 form too (RFC 4291, section 2.5.5.2)
--
-- Returns: the source as text; NULL for what is no address.
-- Locks:   none.
CREATE OR REPLACE FUNCTION source_network(address text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE plain text := regexp_replace(address, '^::ffff:(?=\d+\.)', '', 'i');
BEGIN
  IF plain IS NULL OR plain = '' THEN RETURN NULL; END IF;
  IF family(plain::inet) = 4 THEN RETURN host(plain::inet); END IF;
  RETURN network(set_masklen(plain::inet, 64))::text;
EXCEPTION WHEN invalid_text_representation THEN
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION source_network TO tillway_app, tillway_system;
