import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { LinkNotificationType } from '../../domain/notification-type';
import { canPaymentLinkBecome, type PaymentLinkStatus } from '../../domain/states/payment-link';
import { tell } from '../../foundation/outbox/outbox';
import type { DecisionRow, LinkTokens, PaymentLinkRow } from './payment-link';
import { presentPaymentLink } from './present';

/** Moves a locked link, and tells its seller. Throws `invalid_state` when the table of moves does not allow it. */
export async function movePaymentLink(
  trx: Knex.Transaction,
  tokens: LinkTokens,
  link: PaymentLinkRow,
  to: PaymentLinkStatus,
  detail: string,
): Promise<PaymentLinkRow> {
  if (!canPaymentLinkBecome(link.status, to))
    throw new DomainError('invalid_state', `A payment link that is ${link.status} cannot become ${to}`);
  const [moved]: PaymentLinkRow[] = await trx('payment_links')
    .where({ id: link.id })
    .update({
      status: to,
      status_detail: detail,
      look_at: trx.raw('clock_timestamp()'),
      updated_at: trx.raw('clock_timestamp()'),
    })
    .returning('*');
  const type = toldOf(link.status, to);
  if (type) {
    const decisions: DecisionRow[] = await trx('payment_link_decisions').where({ link_id: link.id }).orderBy('at');
    const { id: subjectId, tenant_id: tenantId, organization_id: organizationId } = link;
    const data = presentPaymentLink(moved!, tokens.urlOf(link), decisions);
    await tell(trx, { tenantId, organizationId, subjectId, type, data });
  }
  return moved!;
}

/** What its seller is told of a link that has come to a status; null: nothing, or it depends on where it came from. */
const TOLD: Record<PaymentLinkStatus, LinkNotificationType | null> = {
  pending_approval: null,
  active: null,
  disabled: 'link.disabled',
  rejected: 'link.rejected',
  paid: 'link.paid',
  expired: 'link.expired',
};

/** One that its seller enables again was approved before. */
function toldOf(from: PaymentLinkStatus, to: PaymentLinkStatus): LinkNotificationType | null {
  return from === 'pending_approval' && to === 'active' ? 'link.approved' : TOLD[to];
}
