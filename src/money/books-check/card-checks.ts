import type { Check } from './check';

/** Card data lives as long as something needs it. The sweep of the vault comes every minute. */
export const CARD_CHECKS: Check[] = [
  {
    // What vault_card_kept and vault_card_awaited say, over all cards at once.
    name: 'no card is in the vault that nothing needs',
    sql: `SELECT c.id AS subject, 'there since ' || c.created_at AS detail FROM vault_cards c
      WHERE c.erased_at IS NULL AND c.created_at < now() - interval '10 minutes'
        AND NOT EXISTS (SELECT FROM payment_methods m WHERE m.card_id = c.id AND m.deleted_at IS NULL)
        AND NOT EXISTS (SELECT FROM payments p WHERE p.card_id = c.id
          AND p.status IN ('initiated', 'pending', 'requires_action'))
        AND NOT EXISTS (SELECT FROM payments p WHERE p.card_id = c.id
          AND p.request->'recurring'->>'initial' = 'true' AND p.authorized_minor > 0)
        AND NOT EXISTS (SELECT FROM card_verifications v WHERE v.card_id = c.id
          AND v.status IN ('initiated', 'pending', 'requires_action'))`,
  },
];
