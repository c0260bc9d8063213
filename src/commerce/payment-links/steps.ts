import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { PaymentLinkInput, PaymentLinkView } from '../../domain/flows';
import { canPaymentLinkBecome, isOpenPaymentLink, type PaymentLinkStatus } from '../../domain/states/payment-link';
import type { Database } from '../../foundation/db/database';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import { findPaymentLink, type PaymentLinkRow } from './payment-link';

export interface PaymentLinkDependencies {
  database: Database;
  firstAnswers: Pick<FirstAnswers, 'announce'>;
}

/**
 * Does what is due of a payment link and tells what is waited for: an approval takes effect, or its time is up. Safe to
 * repeat at any time. Throws `not_found`.
 */
export async function advancePaymentLink(
  { database, firstAnswers }: PaymentLinkDependencies,
  { paymentLinkId, tenantId }: PaymentLinkInput,
  now = new Date(),
): Promise<PaymentLinkView> {
  const row = await database.tenant(tenantId, async (trx) => {
    const seen = await findPaymentLink(trx, paymentLinkId, { lock: true });
    const moved = await move(trx, seen, dueStatus(seen, now));
    await firstAnswers.announce(trx, paymentLinkId);
    return moved;
  });
  return {
    status: row.status,
    sinceMs: row.updated_at.getTime(),
    ...(row.look_at && { nextInMs: Math.max(1, row.look_at.getTime() - now.getTime()) }),
    ended: !isOpenPaymentLink(row.status),
  };
}

/** What it should be by now. An approval counts although the time may be up: it came first. */
function dueStatus({ status, approved_at, expires_at }: PaymentLinkRow, now: Date): PaymentLinkStatus {
  if (!isOpenPaymentLink(status)) return status;
  if (approved_at) return 'approved';
  return expires_at.getTime() <= now.getTime() ? 'expired' : status;
}

/** Moves a locked row; the same status again only says when the flow looks next. Throws `invalid_state`. */
async function move(trx: Knex.Transaction, row: PaymentLinkRow, to: PaymentLinkStatus): Promise<PaymentLinkRow> {
  if (row.status !== to && !canPaymentLinkBecome(row.status, to))
    throw new DomainError('invalid_state', `A payment link that is ${row.status} cannot become ${to}`);
  const [moved]: PaymentLinkRow[] = await trx('payment_links')
    .where({ id: row.id, status: row.status })
    .update({
      status: to,
      look_at: isOpenPaymentLink(to) ? row.expires_at : null,
      ...(to !== row.status && { updated_at: trx.raw('clock_timestamp()') }),
    })
    .returning('*');
  return moved!;
}
