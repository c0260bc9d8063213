import type { Knex } from 'knex';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';

/** About which merchant something is done, and by whom. */
export interface MerchantAct {
  tenantId: string;
  organizationId: string;
  /** User or client. */
  actor: string;
  /** Address the request came from. */
  source: string;
}

/** A line of the audit log about a merchant. */
export async function noteMerchant(
  trx: Knex.Transaction,
  { tenantId, organizationId, actor, source }: MerchantAct,
  action: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await appendAuditLine(trx, { tenantId, actor, action, target: organizationId, source, result: 'done', detail });
}
