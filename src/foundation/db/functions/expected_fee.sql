-- expected_fee, version 1
--
-- The fee that a processor is to keep of a capture, by the terms in effect at that time. Terms of the currency come
-- before terms for every currency; among these the latest.
--
--   of_processor   the processor
--   of_currency    the currency, ISO 4217
--   amount         what was captured, in minor units
--   at             when the batch was closed
--
-- Returns: the fee in minor units: basis points of the amount, rounded half to even as banks do (IEEE 754
--          roundTiesToEven), and the fixed part. NULL when there are no terms.
-- Locks:   none.
CREATE OR REPLACE FUNCTION expected_fee(
  of_processor text, of_currency text, amount bigint, at timestamptz
) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT (q + CASE WHEN rest > 5000 OR (rest = 5000 AND mod(q, 2) = 1) THEN 1 ELSE 0 END + fixed_minor)::bigint
  FROM (SELECT div(amount::numeric * basis_points, 10000) AS q, mod(amount::numeric * basis_points, 10000) AS rest,
      fixed_minor FROM processor_fee_terms t
    WHERE t.processor = of_processor AND (t.currency = of_currency OR t.currency IS NULL) AND t.valid_from <= at
    ORDER BY t.currency IS NULL, t.valid_from DESC LIMIT 1) terms;
$$;
