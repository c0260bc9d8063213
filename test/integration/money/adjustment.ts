import { newId } from '../../../src/domain/ids';
import type { Database } from '../../../src/foundation/db/database';
import { causeOf, type LedgerCause } from '../../../src/money/ledger/causes';

/**
 * The cause of an adjustment that operators have made, with the difference that it resolved: what a test books under it
 * stands in the books for a reason, whatever it moves.
 */
export async function adjustmentCause({ system }: Database, tenantId: string): Promise<LedgerCause> {
  const id = newId('difference');
  await system('reconciliation_differences').insert({
    id,
    tenant_id: tenantId,
    processor: 'a',
    kind: 'missing_here',
    line_kind: 'capture',
    line_id: id,
    reference: id,
    payment_reference: id,
    currency: 'EUR',
    status: 'resolved',
    resolution: 'book',
    reason: 'a test',
    resolved_by: 'a test',
    closed_at: new Date(),
  });
  return causeOf('adjustment', id, '');
}
