-- payment_accept, version 7
--
-- payment_accept_2 for a payment that its flow sends, with the answer that processes of the release before expect.
CREATE OR REPLACE FUNCTION payment_accept(
  tenant text, accepted jsonb, fingerprint bytea, key_id text, wrapped_key bytea, sealed bytea, cvv bytea,
  cvv_expires_at timestamptz
) RETURNS TABLE (created_at timestamptz(3), updated_at timestamptz(3)) LANGUAGE sql AS $$
  SELECT a.created_at, a.updated_at
  FROM payment_accept_2(tenant, accepted, fingerprint, key_id, wrapped_key, sealed, cvv, cvv_expires_at, NULL) a
$$;
GRANT EXECUTE ON FUNCTION payment_accept TO tillway_app, tillway_system;
