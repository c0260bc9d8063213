-- consent_end_grant, version 1
--
-- Trigger of consents: with a consent that ends, and with a grant that another one replaces, every code and token that was
-- given under it goes, in the same transaction. It runs with the rights of the owner: the application may not touch the
-- tokens of others.
--
-- Locks:   the grant's rows of oidc_payloads, after the consent.
CREATE OR REPLACE FUNCTION consent_end_grant() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public AS $$
BEGIN
  DELETE FROM oidc_payloads WHERE grant_id = OLD.grant_id;
  RETURN NULL;
END $$;
