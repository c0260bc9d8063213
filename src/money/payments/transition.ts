import type { Knex } from 'knex';
import type { CallbackEnd } from '../../domain/callback';
import { DomainError } from '../../domain/errors';
import { canPaymentBecome } from '../../domain/states/payment';
import type { Database } from '../../foundation/db/database';
import { jsonOf } from '../../foundation/db/json';
import { type Send, sendIn, statement } from '../../foundation/db/named-statements';
import type { Bookings, Ledger } from '../ledger/ledger';
import { withSellerFloat } from '../ledger/seller-float';
import type { PaymentChange } from './change';
import { paymentNotice } from './notices';
import type { PaymentRow } from './payment';
import type { TopupRow } from './topup';
import { effectsOnTopup } from './topup-steps';

/** A callback that a step follows from, and what became of it. */
export interface HandledCallback {
  /** Of its row in the inbox. */
  id: string;
  end: CallbackEnd;
  detail?: string;
}

/** What else belongs into the same transaction. */
export interface MoveOptions {
  /** The answer was definite: the CVV has done its work. */
  forgetCvv?: boolean;
  /** Tell other processes that somebody may be waiting for this payment. */
  announce?: boolean;
  /** What the merchant is told beside the payment, such as its refund. Makes the step told whatever it changes. */
  tells?: object;
  /** The callback that is noted as handled. */
  callback?: HandledCallback;
}

/**
 * Moves a payment, writes its timeline, books its entries and queues what the merchant is told, all in the caller's
 * transaction. A change that keeps the status only updates the reason, and is not told. Throws DomainError
 * `invalid_state` when the table does not allow the move, or when somebody else moved the payment since it was read.
 */
export async function applyChange(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  change: PaymentChange,
  besides: MoveOptions = {},
): Promise<PaymentRow> {
  const { topup, movements } =
    payment.beneficiary === 'wallet' ? await effectsOnTopup(trx, payment, change) : { topup: undefined, movements: [] };
  const all = withSellerFloat(topup?.seller_id ?? null, [...(change.movements ?? []), ...movements]);
  const bookings = await ledger.prepare(trx, payment.tenant_id, payment.currency, all);
  const moved = await move(sendIn(trx), payment, change, bookings, besides, topup);
  if (!moved) throw new DomainError('invalid_state', `payment ${payment.id} is no longer ${payment.status}`);
  return moved;
}

/**
 * The same as a transaction of its own, in one round trip. Undefined when somebody else was faster: read again and
 * decide again.
 */
export async function applyChangeAtOnce(
  database: Database,
  ledger: Ledger,
  payment: PaymentRow,
  change: PaymentChange,
  besides: MoveOptions = {},
): Promise<PaymentRow | undefined> {
  if (payment.beneficiary === 'wallet') return applyToTopup(database, ledger, payment, change, besides);
  const bookings = ledger.known(payment.tenant_id, payment.currency, change.movements ?? []);
  if (bookings) return move(database.named.app.send, payment, change, bookings, besides);
  // The first booking on an account creates it.
  return database.tenant(payment.tenant_id, async (trx) =>
    move(
      sendIn(trx),
      payment,
      change,
      await ledger.prepare(trx, payment.tenant_id, payment.currency, change.movements!),
      besides,
    ),
  );
}

/** A top-up has a row of its own to change: its payment is locked first. */
function applyToTopup(
  database: Database,
  ledger: Ledger,
  payment: PaymentRow,
  change: PaymentChange,
  besides: MoveOptions,
): Promise<PaymentRow | undefined> {
  return database.tenant(payment.tenant_id, async (trx) => {
    const { id, version } = payment;
    const isSame = await trx('payments').where({ id, version }).forUpdate().first('id');
    return isSame && applyChange(trx, ledger, payment, change, besides);
  });
}

const MOVE = statement(
  'payment_move',
  'SELECT * FROM payment_move($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)',
);

async function move(
  send: Send,
  payment: PaymentRow,
  change: PaymentChange,
  bookings: Bookings,
  { forgetCvv = false, announce = false, tells, callback }: MoveOptions,
  topup?: TopupRow,
): Promise<PaymentRow | undefined> {
  if (payment.status !== change.to && !canPaymentBecome(payment.status, change.to))
    throw new DomainError('invalid_state', `a payment that is ${payment.status} cannot become ${change.to}`);
  const columns = {
    ...change.columns,
    status: change.to,
    result_code: change.resultCode,
    status_detail: change.detail,
  };
  const bindings = [
    payment.tenant_id,
    payment.id,
    payment.version,
    jsonOf({ ...columns, attempt: change.attempt, callback }),
    change.cause,
    payment.currency,
    ...bookings,
    forgetCvv,
    announce ? payment.id : null,
    noticeFor(payment, { ...payment, ...columns }, tells, topup),
  ];
  const [moved] = await send<{ version: number; updated_at: Date }>(MOVE, bindings);
  return moved && { ...payment, ...columns, ...moved };
}

function noticeFor(
  before: PaymentRow,
  after: PaymentRow,
  tells: object | undefined,
  topup: TopupRow | undefined,
): string | null {
  const isNews = before.status !== after.status || tells !== undefined;
  const notice = isNews ? paymentNotice({ payment: after, topup }, tells) : undefined;
  return notice ? JSON.stringify(notice) : null;
}
