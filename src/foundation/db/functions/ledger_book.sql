-- ledger_book, version 2
--
-- Books transfers of one tenant and one currency in one round trip: all of them or none. It works inside a transaction
-- or as a transaction of its own. `Ledger` calls it, and payment_move for the transfers of a payment's step.
--
--   tenant                            the tenant; sets tillway.tenant until the transaction ends
--   code                              the currency, ISO 4217
--   debits, credits                   ids of the accounts that each transfer debits and credits
--   debits_guarded, credits_guarded   whether these accounts must not fall below zero
--   amounts                           in minor units, above zero
--   phases                            'posted' moves money at once, 'pending' holds it, 'post' and 'void' end a hold
--   pending_causes                    for a post or a void: the cause of the hold; otherwise NULL
--   causes                            why each transfer is booked, unique in the tenant
--
-- The arrays are equally long: transfer n is the nth element of each.
--
-- Errors: ledger_transfers_cause_once when a cause was booked before, ledger_transfers_resolved_once when a hold was
--         ended before, ledger_balances_covered when a guarded account would fall below zero;
--         integrity_constraint_violation when the hold does not exist or does not fit (ledger_check_resolution).
-- Locks:  the balances of guarded accounts, lowest account id first. Several transfers lock all their accounts before
--         the first of them is booked.
CREATE OR REPLACE FUNCTION ledger_book(
  tenant text, code text, debits bigint[], debits_guarded boolean[], credits bigint[], credits_guarded boolean[],
  amounts bigint[], phases text[], pending_causes text[], causes text[]
) RETURNS void LANGUAGE plpgsql AS $$
-- An assignment is not planned and run as a query, as PERFORM is.
DECLARE tenant_set text := set_config('tillway.tenant', tenant, true);
BEGIN
  IF cardinality(causes) > 1 AND true = ANY (debits_guarded || credits_guarded) THEN
    PERFORM ledger_lock_accounts(debits || credits);
  END IF;
  -- Most movements are one transfer. Inserting it without a set around it costs half as much.
  IF cardinality(causes) = 1 AND pending_causes[1] IS NULL THEN
    INSERT INTO ledger_transfers (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id,
      credit_guarded, amount_minor, phase, cause)
    VALUES (tenant, code, debits[1], debits_guarded[1], credits[1], credits_guarded[1], amounts[1], phases[1],
      causes[1]);
    RETURN;
  END IF;
  INSERT INTO ledger_transfers (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id,
    credit_guarded, amount_minor, phase, pending_id, cause)
  SELECT tenant, code, t.debit, t.debit_guarded, t.credit, t.credit_guarded, t.amount, t.phase,
    CASE WHEN t.pending_cause IS NOT NULL THEN coalesce((SELECT id FROM ledger_transfers p
      WHERE p.tenant_id = tenant AND p.cause = t.pending_cause), -1) END, t.cause
  FROM unnest(debits, debits_guarded, credits, credits_guarded, amounts, phases, pending_causes, causes)
    AS t(debit, debit_guarded, credit, credit_guarded, amount, phase, pending_cause, cause);
END $$;
GRANT EXECUTE ON FUNCTION ledger_book TO tillway_app, tillway_system;
