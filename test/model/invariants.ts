import { endedWithoutMoney, isClosed } from '../../src/domain/states/payment';
import { auditBooks } from '../../src/money/books-check/books-check';
import type { OperationRow } from '../../src/money/payments/operation';
import type { PaymentRow, RefundRow } from '../../src/money/payments/payment';
import type { ReceiptRow } from '../../src/money/payments/receipt';
import { untouched } from '../../src/sandbox/simulator/charges';
import type { Charge } from '../../src/sandbox/simulator/records';
import { MODELLED, type Modelled } from './processors';
import type { World } from './world';

/** All that we hold of one payment, and all that processors did for it. */
interface Held {
  payment: PaymentRow;
  operations: OperationRow[];
  refunds: RefundRow[];
  receipts: ReceiptRow[];
  disputes: { processor: string; status: string; amount_minor: bigint }[];
  charges: Charge[];
}

/** Everything that must be true once nothing is under way any more. Answers what is not. */
export async function contradictions(world: World): Promise<string[]> {
  const wrong: string[] = [];
  for (const run of world.runtime.failed) wrong.push(`flow ${run.id} failed: ${(run.error as Error).message}`);
  for (const { step, error } of world.runtime.failures) wrong.push(`step ${step}: ${(error as Error).stack}`);
  for (const held of await allHeld(world)) {
    const said = Object.values(RULES).flatMap((rule) => rule(held, world));
    for (const each of said) wrong.push(`${held.payment.id} (${held.payment.status}): ${each}`);
  }
  const { findings } = await auditBooks(world.ground.database.ops);
  for (const { check, subject, detail } of findings) {
    const finding = `${check}: ${subject} ${detail}`;
    if (!world.ground.knownFindings.has(finding)) wrong.push(finding);
  }
  return wrong;
}

export async function allHeld(world: World): Promise<Held[]> {
  const { ops } = world.ground.database;
  const of = (table: string) => ops(table).whereIn('payment_id', world.payments).orderBy('id');
  const [payments, operations, refunds, receipts, disputes] = await Promise.all([
    ops('payments').whereIn('id', world.payments).orderBy('id'),
    of('payment_operations'),
    of('refunds'),
    of('unapplied_receipts'),
    of('disputes'),
  ]);
  return payments.map((payment: PaymentRow) => {
    const mine = <Row extends { payment_id: string }>(rows: Row[]) =>
      rows.filter((row) => row.payment_id === payment.id);
    return {
      payment,
      operations: mine(operations),
      refunds: mine(refunds),
      receipts: mine(receipts),
      disputes: mine(disputes),
      charges: world.charges(payment.id),
    };
  });
}

type Rule = (held: Held, world: World) => string[];

const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** What a processor has of a payment, in minor units. */
const kept = (charge: Charge) => charge.capturedMinor - charge.refundedMinor - charge.chargedBackMinor;

const RULES = {
  'every payment comes to an end': ({ payment }) => (isClosed(payment.status) ? [] : ['is still open']),

  'the money is where our books say': ({ payment, receipts, disputes, charges }) =>
    MODELLED.flatMap((processor) => {
      const there = sum(charges.filter((charge) => charge.processor === processor).map(kept));
      const ours =
        payment.processor === processor
          ? payment.captured_minor - payment.refunded_minor - payment.charged_back_minor
          : 0n;
      const late = receipts.filter((one) => one.processor === processor && one.is_taken && one.status !== 'returned');
      // What a chargeback took that does not fit our books is for review.
      const flagged = disputes.filter((one) => one.processor === processor && one.status === 'flagged');
      const expected = ours + sum(late.map((one) => one.amount_minor)) - sum(flagged.map((one) => one.amount_minor));
      return there === expected ? [] : [`processor ${processor} keeps ${there}, our books say ${expected}`];
    }),

  'nobody can still be charged': ({ payment, charges }) =>
    isClosed(payment.status)
      ? charges
          .filter(({ status }) => ['challenge', 'waiting', 'processing', 'authorized'].includes(status))
          .map(({ processor, status }) => `processor ${processor} still has it ${status}`)
      : [],

  'every promise is kept or undone': ({ payment, operations }, world) =>
    world.promises
      .filter(({ paymentId }) => paymentId === payment.id)
      .flatMap(({ operationId, kind }) => {
        const { status, detail } = operations.find(({ id }) => id === operationId) as OperationRow & {
          detail?: string;
        };
        if (status === 'pending') return [`the ${kind} ${operationId} was accepted and is pending`];
        const isDone = kind === 'void' ? endedWithoutMoney(payment.status) : payment.captured_minor > 0n;
        if (status === 'succeeded') return isDone ? [] : [`the ${kind} ${operationId} succeeded and did nothing`];
        if (isDone && kind === 'void') return [];
        const wasRefused = world.network.calls.some(
          (call) => call.kind === kind && call.reference === payment.id && call.fate?.kind === 'status_400',
        );
        return wasRefused || operations.length > 1 || payment.status !== 'captured'
          ? []
          : [`the ${kind} ${operationId} failed without being refused: ${detail}`];
      }),

  'each refund stands as it does at the processor': ({ payment, refunds }, world) =>
    refunds.flatMap(({ id, status }) => {
      const there = world.processors.desks[payment.processor as Modelled].books.refund(payment.processor, id)?.status;
      const expected = there === 'refunded' ? 'succeeded' : 'declined';
      return status === expected ? [] : [`refund ${id} is ${status}, and ${there} at the processor`];
    }),

  'late money goes back': ({ receipts }) =>
    receipts
      .filter(({ status }) => status !== 'returned')
      .map(({ id, status, status_detail }) => `receipt ${id} is ${status}: ${status_detail}`),

  'never more is refunded than captured': ({ charges }) =>
    charges.filter((charge) => untouched(charge) < 0n).map(({ processor }) => `processor ${processor} gave too much`),
} satisfies Record<string, Rule>;
