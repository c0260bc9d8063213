import type { Check } from './check';

/** The sweep of the vault comes every minute. */
const GRACE = "interval '10 minutes'";

/** Card data lives as long as something needs it. */
export const CARD_CHECKS: Check[] = [
  {
    name: 'no card is in the vault that nothing needs',
    sql: `SELECT c.id AS subject, 'there since ' || c.created_at AS detail FROM vault_cards c
      WHERE c.erased_at IS NULL AND c.created_at < now() - ${GRACE}
        AND NOT vault_card_kept(c.id) AND NOT vault_card_awaited(c.id, '-infinity')`,
  },
];
