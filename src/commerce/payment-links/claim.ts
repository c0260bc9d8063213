import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { jsonOf } from '../../foundation/db/json';
import type { PaymentRow } from '../../money/payments/payment';
import { lockOrder, type OrderedLine, type OrderRow } from '../orders/order';
import { createOrder, extendReservation } from '../orders/steps';
import type { LinkLine, PaymentLinkRow } from './payment-link';
import { paymentsOf } from './steps';

/** What a payment by a link needs to know of the buyer's choice. */
interface Chosen {
  /** Of the buyer's own order, where the link has none. */
  orderId: string;
  /** By the name of the custom field. */
  answers: Record<string, string>;
}

/**
 * Lets a payment that has just been accepted pay by the link, in the same transaction: while the link is locked, no other
 * one can be accepted. What it pays for is held for it.
 */
export async function claimForOrder(
  trx: Knex.Transaction,
  link: PaymentLinkRow,
  payment: PaymentRow,
  choice: Chosen,
  heldUntil: Date,
): Promise<void> {
  const current = await claimLink(trx, link);
  const order = await orderOf(trx, current, payment, choice, heldUntil);
  if (order.status !== 'open') throw notPayable();
  if (order.total_minor !== payment.amount_minor)
    throw new DomainError('link_not_payable', 'The price has changed meanwhile. Open the link again');
  await extendReservation(trx, order.id, heldUntil);
  await keepAnswers(trx, link, payment, choice);
}

/** The link, locked for a payment that names it. Throws `link_not_payable`, `link_busy`. */
export async function claimLink(trx: Knex.Transaction, link: PaymentLinkRow): Promise<PaymentLinkRow> {
  const rows = trx('payment_links').where({ id: link.id });
  // Links that take any number of payments do not make their buyers wait for each other.
  const current: PaymentLinkRow = await (link.max_payments === null ? rows.forShare() : rows.forUpdate()).first();
  if (current.status !== 'active' || current.expires_at.getTime() <= Date.now()) throw notPayable();
  if (current.max_payments !== null) {
    // This payment is one of those that are open.
    const { paid, open } = await paymentsOf(trx, link);
    if (paid >= current.max_payments) throw notPayable();
    if (paid + open > current.max_payments) throw busy();
  }
  return current;
}

/** What the buyer wrote into the custom fields. */
export async function keepAnswers(
  trx: Knex.Transaction,
  link: PaymentLinkRow,
  payment: PaymentRow,
  { answers }: Chosen,
): Promise<void> {
  if (Object.keys(answers).length === 0) return;
  await trx('payment_link_answers').insert({
    payment_id: payment.id,
    tenant_id: link.tenant_id,
    link_id: link.id,
    answers: jsonOf(answers),
  });
}

/** The order of the link, or the buyer's own. */
async function orderOf(
  trx: Knex.Transaction,
  link: PaymentLinkRow,
  payment: PaymentRow,
  { orderId }: Chosen,
  reservedUntil: Date,
): Promise<OrderRow> {
  if (link.order_id) return lockOrder(trx, link.order_id);
  const order = await createOrder(trx, {
    id: orderId,
    tenantId: link.tenant_id,
    organizationId: link.organization_id,
    currency: link.currency,
    lines: link.lines?.map(orderedLine) ?? [{ description: link.title, unitMinor: payment.amount_minor, quantity: 1 }],
    reference: link.reference ?? undefined,
    reservedUntil,
    linkId: link.id,
    createdBy: link.created_by,
  });
  if (order.link_id !== link.id) throw notPayable();
  return lockOrder(trx, order.id);
}

function orderedLine(line: LinkLine): OrderedLine {
  return 'itemId' in line ? line : { ...line, unitMinor: BigInt(line.unitMinor) };
}

export const notPayable = () => new DomainError('link_not_payable', 'Nobody can pay by this link any more');
export const busy = () => new DomainError('link_busy', 'Somebody else is paying by this link right now');
