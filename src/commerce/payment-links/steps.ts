import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { PaymentLinkInput, PaymentLinkView } from '../../domain/payment-link-flow';
import { endedWithoutMoney, isClosed, type PaymentStatus } from '../../domain/states/payment';
import { isOverPaymentLink, type PaymentLinkStatus } from '../../domain/states/payment-link';
import type { Database } from '../../foundation/db/database';
import { releaseOrder } from '../orders/steps';
import { movePaymentLink } from './move';
import { type DecisionRow, findPaymentLink, type LinkTokens, type PaymentLinkRow } from './payment-link';
import type { Reminders } from './reminders';

export interface PaymentLinkDependencies {
  database: Database;
  paymentLinks: { reminders: Reminders; tokens: LinkTokens };
}

/** Does what is due of a link and tells its flow how it stands. Safe to repeat at any time. Throws `not_found`. */
export async function lookAtPaymentLink(
  { database, paymentLinks }: PaymentLinkDependencies,
  { paymentLinkId, tenantId }: PaymentLinkInput,
  now = new Date(),
): Promise<PaymentLinkView> {
  const link = await database.tenant(tenantId, async (trx) => {
    const seen = await findPaymentLink(trx, paymentLinkId, { lock: true });
    return advancePaymentLink(trx, paymentLinks.tokens, seen, now);
  });
  if (isReminderDue(link, now)) await paymentLinks.reminders.remind(link);
  return viewOf(link);
}

/** The same for a locked link, in the transaction of whoever has just changed something about it. */
export async function advancePaymentLink(
  trx: Knex.Transaction,
  tokens: LinkTokens,
  link: PaymentLinkRow,
  now = new Date(),
): Promise<PaymentLinkRow> {
  const due = await dueMove(trx, link, now);
  const moved = due ? await movePaymentLink(trx, tokens, link, due.to, due.detail) : link;
  const isGivenUp = due?.to === 'rejected' || due?.to === 'expired';
  if (isGivenUp && link.order_id) await giveUpOrder(trx, link.order_id);
  const [looked]: PaymentLinkRow[] = await trx('payment_links')
    .where({ id: link.id })
    .update({ look_at: nextLook(moved) })
    .returning('*');
  return looked!;
}

/** The pieces of an order are held no longer than its link lives, unless somebody is paying, or has paid. */
async function giveUpOrder(trx: Knex.Transaction, orderId: string): Promise<void> {
  try {
    await releaseOrder(trx, orderId, 'expired', 'Its payment link has ended.');
  } catch (error) {
    // It refuses before it writes.
    if (!(error instanceof DomainError) || error.code !== 'invalid_state') throw error;
  }
}

interface DueMove {
  to: PaymentLinkStatus;
  detail: string;
}

async function dueMove(trx: Knex.Transaction, link: PaymentLinkRow, now: Date): Promise<DueMove | undefined> {
  if (link.status === 'pending_approval') return afterDecisions(trx, link, now);
  const mayBePaid = link.status !== 'rejected' && link.status !== 'paid' && link.max_payments !== null;
  if (mayBePaid && (await paymentsOf(trx, link)).paid >= link.max_payments!)
    return { to: 'paid', detail: link.max_payments === 1 ? 'Paid.' : 'Paid as often as it may be.' };
  if (!isOverPaymentLink(link.status) && link.expires_at <= now)
    return { to: 'expired', detail: 'The link has expired.' };
  return undefined;
}

async function afterDecisions(trx: Knex.Transaction, link: PaymentLinkRow, now: Date): Promise<DueMove | undefined> {
  const decisions: DecisionRow[] = await trx('payment_link_decisions').where({ link_id: link.id });
  const rejected = decisions.find(({ decision }) => decision === 'reject');
  if (rejected) return { to: 'rejected', detail: rejected.reason! };
  if (decisions.length >= link.approvals_needed) return { to: 'active', detail: 'Buyers can pay.' };
  if (link.expires_at <= now) return { to: 'expired', detail: 'The link expired before anybody had approved it.' };
  if (link.request_expires_at! <= now) return { to: 'expired', detail: 'Nobody approved the link in time.' };
  return undefined;
}

/** How often a link was paid, and is being paid. The caller has locked it, so that no other payment begins meanwhile. */
export async function paymentsOf(
  trx: Knex.Transaction,
  { id }: Pick<PaymentLinkRow, 'id'>,
): Promise<{ tried: number; paid: number; open: number }> {
  const rows: { status: PaymentStatus; count: string }[] = await trx('payments')
    .where({ link_id: id })
    .groupBy('status')
    .select('status')
    .count('* as count');
  const sum = (counts: (status: PaymentStatus) => boolean) =>
    rows.filter(({ status }) => counts(status)).reduce((total, { count }) => total + Number(count), 0);
  return {
    tried: sum(() => true),
    paid: sum((status) => isClosed(status) && !endedWithoutMoney(status)),
    open: sum((status) => !isClosed(status)),
  };
}

/** When something is due next. A payment by it that moves on has it looked at sooner. */
function nextLook(link: PaymentLinkRow): Date | null {
  if (isOverPaymentLink(link.status)) return null;
  const times = [link.expires_at];
  if (link.status === 'pending_approval') times.push(link.request_expires_at!, link.remind_at ?? link.expires_at);
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

const isReminderDue = ({ status, remind_at }: PaymentLinkRow, now: Date) =>
  status === 'pending_approval' && remind_at !== null && remind_at <= now;

function viewOf(link: PaymentLinkRow): PaymentLinkView {
  const ended = isOverPaymentLink(link.status);
  const until = link.status === 'pending_approval' ? link.request_expires_at! : link.expires_at;
  return {
    status: link.status,
    detail: link.status_detail,
    sinceMs: link.updated_at.getTime(),
    ...(ended ? {} : { untilMs: until.getTime() }),
    ended,
  };
}
