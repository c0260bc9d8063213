import type { Knex } from 'knex';
import type { PaymentInput, PaymentView } from '../../../domain/flows';
import { growingPauseMs } from '../../../domain/pauses';
import { isClosed } from '../../../domain/states/payment';
import type { Config } from '../../../foundation/config/config';
import type { Database } from '../../../foundation/db/database';
import { statement } from '../../../foundation/db/named-statements';
import type { AttemptRow } from '../attempt';
import { nextCheckMs } from '../due';
import { pendingOperation } from '../operation';
import type { OperationRow, PaymentRow } from '../payment';

/** How a payment's flow sees it after each step: its status, whom it waits for, and for how long. */
export interface Viewing {
  database: Database;
  timers: Config['timers'];
}

const ATTEMPT = [
  'number',
  'processor',
  'status',
  'detail',
  'processor_reference',
  'sends',
  'sent_at',
  'created_at',
  'updated_at',
] as const satisfies (keyof AttemptRow)[];
const OPERATION = [
  'id',
  'kind',
  'amount_minor',
  'status',
  'processor',
  'cause',
  'sent_at',
  'sends',
  'in_flight_until',
] as const satisfies (keyof OperationRow)[];
const columnsOf = (row: string, columns: readonly string[]) =>
  columns.map((column) => `(r.${row}).${column} AS ${row}_${column}`).join(', ');
const READ_TEXT = `SELECT (r.payment).*, ${columnsOf('attempt', ATTEMPT)}, ${columnsOf('operation', OPERATION)}
  FROM payment_read_2($1, $2) AS r`;

const READ = statement('payment_read_2', READ_TEXT);
const READ_HEARING = statement(
  'payment_hearing',
  `SELECT (r.payment).*, ${columnsOf('attempt', ATTEMPT)}, ${columnsOf('operation', OPERATION)}, to_jsonb(heard) AS heard
   FROM (SELECT 1) AS one LEFT JOIN callback_read($3) heard ON true LEFT JOIN payment_read_2($1, $2) AS r ON true`,
);

/** A payment as it stands. All are absent where it is gone. */
export interface Standing {
  payment?: PaymentRow;
  attempt?: AttemptRow;
  /** The capture or void under way. */
  operation?: OperationRow;
}

/** The payment, the attempt that serves it, and the capture or void under way, in one round trip. */
export async function readPayment({ database }: Viewing, { paymentId, tenantId }: PaymentInput): Promise<Standing> {
  const [row] = await database.named.app.rows<Columns>(READ, [tenantId, paymentId]);
  return standingOf(row);
}

/** The same, with the callback that it is to hear: its row in the inbox, without what nobody here needs. */
export async function readPaymentHearing<Heard>(
  { database }: Viewing,
  { paymentId, tenantId }: PaymentInput,
  inboxId: string,
): Promise<Standing & { heard?: Heard }> {
  const [row] = await database.named.app.rows<Columns>(READ_HEARING, [tenantId, paymentId, inboxId]);
  const { heard, ...columns } = row!;
  return { ...standingOf(columns), heard: heard ?? undefined };
}

// biome-ignore lint/suspicious/noExplicitAny: the columns of three rows, taken apart below
type Columns = any;

function standingOf(row: Columns): Standing {
  if (!row?.id) return {};
  const { ...payment } = row;
  const take = (row: string, columns: readonly string[]) =>
    Object.fromEntries(
      columns.map((column) => {
        const value = payment[`${row}_${column}`];
        delete payment[`${row}_${column}`];
        return [column, value];
      }),
    );
  const of = { tenant_id: payment.tenant_id, payment_id: payment.id };
  const attempt = { ...of, ...take('attempt', ATTEMPT) } as AttemptRow;
  const operation = { ...of, ...take('operation', OPERATION) } as OperationRow;
  return {
    payment,
    attempt: attempt.number === null ? undefined : attempt,
    operation: operation.id === null ? undefined : operation,
  };
}

/** The view of a payment as it stands. `tries` spaces the next question to the processor. */
export async function readPaymentView(viewing: Viewing, input: PaymentInput, tries = 0): Promise<PaymentView> {
  const { payment, operation } = await readPayment(viewing, input);
  if (!payment)
    return { status: 'withdrawn', resultCode: 0, detail: 'The request was taken back.', waitsFor: 'nobody' };
  return paymentView(viewing, payment, { isBusy: operation !== undefined, tries });
}

/** The view of a payment, looking up whether a capture or void is under way where that matters. */
export async function paymentViewIn(
  trx: Knex.Transaction,
  viewing: Viewing,
  payment: PaymentRow,
  tries = 0,
): Promise<PaymentView> {
  const busy = !isClosed(payment.status) && (await pendingOperation(trx, payment.id));
  return paymentView(viewing, payment, { isBusy: Boolean(busy), tries });
}

/** `isBusy`: a capture or void is under way. */
export function paymentView(
  { timers }: Pick<Viewing, 'timers'>,
  payment: PaymentRow,
  { isBusy, tries = 0 }: { isBusy: boolean; tries?: number },
): PaymentView {
  const view = {
    status: payment.status,
    resultCode: payment.result_code,
    detail: payment.status_detail,
    sinceMs: payment.updated_at.getTime(),
    ...(payment.review_reason ? { review: payment.review_reason } : {}),
  };
  const waitsUntilMs = payment.waits_until?.getTime();
  if (isClosed(payment.status)) return { ...view, waitsFor: 'nobody' };
  const askAgainMs = growingPauseMs(timers.inquiryFirstMs, tries, timers.inquiryMaxMs);
  if (isBusy) return { ...view, waitsFor: 'provider', askAgainMs };
  // Nobody has any more time: only the processor can say how it ends.
  if (waitsUntilMs !== undefined && waitsUntilMs <= Date.now()) return { ...view, waitsFor: 'provider', askAgainMs };
  if (payment.status === 'requires_action')
    return {
      ...view,
      waitsFor: 'payer',
      waitsUntilMs,
      checkAtMs: nextCheckMs(timers, payment.updated_at, payment.waits_until),
    };
  if (payment.status === 'authorized' && payment.capture_mode === 'manual')
    return { ...view, waitsFor: 'merchant', waitsUntilMs };
  return { ...view, waitsFor: 'provider', askAgainMs };
}
