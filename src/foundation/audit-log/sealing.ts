import type { Knex } from 'knex';

/** Lines of one seal at most: a seal is made, checked and exported as a whole. */
const MOST_LINES = 1_000;

/**
 * Seals what waits in the audit log (`audit_seal.sql`). Answers whether more may wait. One process at a time should do it:
 * where two do, one of them fails and changes nothing. `system`: the role of the platform.
 */
export async function sealAuditLog(system: Knex): Promise<boolean> {
  const { rows } = await system.raw('SELECT audit_seal(?) AS sealed', [MOST_LINES]);
  return rows[0].sealed === MOST_LINES;
}
