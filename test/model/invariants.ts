import type { ProcessorId } from '../../src/domain/connector';
import { workflowId } from '../../src/domain/flows';
import { endedWithoutMoney, isClosed } from '../../src/domain/states/payment';
import { auditBooks } from '../../src/money/books-check/books-check';
import type { OperationRow, PaymentRow, RefundRow } from '../../src/money/payments/payment';
import type { ReceiptRow } from '../../src/money/payments/receipt';
import { topupIdOf } from '../../src/money/payments/topup';
import { untouched } from '../../src/sandbox/simulator/charges';
import type { Charge } from '../../src/sandbox/simulator/records';
import { MODELLED, type Modelled } from './processors';
import { UNDER_WAY, type World } from './world';

/** All that we hold of one payment, and all that processors did for it. */
interface Held {
  payment: PaymentRow;
  operations: (OperationRow & { detail: string | null })[];
  refunds: RefundRow[];
  receipts: ReceiptRow[];
  disputes: { id: string; processor: string; status: string; amount_minor: bigint; hasUnapplied: boolean }[];
  notifications: { type: string; data: { refund?: { refundId: string; status: string } } }[];
  charges: Charge[];
}

/** Everything that must be true once nothing is under way any more. Answers what is not. */
export async function contradictions(world: World): Promise<string[]> {
  const wrong: string[] = [];
  for (const run of world.runtime.failed) wrong.push(`flow ${run.id} failed: ${(run.error as Error).stack}`);
  for (const { step, error } of world.runtime.failures) wrong.push(`step ${step}: ${(error as Error).stack}`);
  for (const held of await allHeld(world)) {
    const said = Object.values(RULES).flatMap((rule: Rule) => rule(held, world));
    for (const each of said) wrong.push(`${held.payment.id} (${held.payment.status}): ${each}`);
  }
  return [...wrong, ...(await limitsCountedWrongly(world)), ...(await newFindings(world))];
}

async function allHeld({ ground, requests, outside }: World): Promise<Held[]> {
  const { ops } = ground.database;
  const of = (table: string) => ops(table).whereIn('payment_id', requests.payments).orderBy('id');
  const payments = await ops('payments').whereIn('id', requests.payments).orderBy('id');
  const tables = ['payment_operations', 'refunds', 'unapplied_receipts', 'disputes', 'notifications'] as const;
  const [operations, refunds, receipts, disputes, notifications] = await Promise.all(tables.map(of));
  const unapplied: string[] = await ops('dispute_events')
    .whereIn(
      'dispute_id',
      disputes!.map(({ id }) => id),
    )
    .where({ step: 'not_applied' })
    .pluck('dispute_id');
  return payments.map((payment: PaymentRow) => {
    const mine = <Row extends { payment_id: string }>(rows: Row[] = []) =>
      rows.filter((row) => row.payment_id === payment.id);
    return {
      payment,
      operations: mine(operations),
      refunds: mine(refunds),
      receipts: mine(receipts),
      disputes: mine(disputes).map((one) => ({ ...one, hasUnapplied: unapplied.includes(one.id) })),
      notifications: mine(notifications).map(({ type, body }) => ({ type, data: JSON.parse(body).data })),
      charges: outside.charges(payment.id),
    };
  });
}

/** What a whole audit says that it did not say after the runs before. */
async function newFindings({ ground }: World): Promise<string[]> {
  const { findings } = await auditBooks(ground.database.ops);
  return findings
    .map(({ check, subject, detail }) => `${check}: ${subject} ${detail}`)
    .filter((finding) => !ground.knownFindings.has(finding));
}

/** What top-ups count against the limits of the customer: each once, unless it ended without money. */
async function limitsCountedWrongly({ ground, customerId }: World): Promise<string[]> {
  const { ops } = ground.database;
  const counter = await ops('allowance_counters')
    .where({ customer_id: customerId })
    .first('month_minor', 'month_count');
  const rows: PaymentRow[] = await ops('payments').where({ customer_id: customerId });
  const live = rows.filter(({ status }) => !endedWithoutMoney(status));
  const expected = `${sum(live.map(({ amount_minor }) => amount_minor))} in ${live.length}`;
  const counted = counter ? `${counter.month_minor} in ${counter.month_count}` : '0 in 0';
  return counted === expected ? [] : [`limits have counted ${counted}, and top-ups took ${expected}`];
}

type Rule = (held: Held, world: World) => string[];

const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** What a processor has of a payment, in minor units. */
const kept = (charge: Charge) => charge.capturedMinor - charge.refundedMinor - charge.chargedBackMinor;

const hasMoney = ({ status, capturedMinor }: Charge) => capturedMinor > 0n || status === 'authorized';

const refundAt = ({ processors }: World, processor: ProcessorId, reference: string) =>
  processors.desks[processor as Modelled].books.refund(processor, reference);

/** The payer's bank took back what was on its way back anyway: that receipt has ended, and nothing is left to review. */
const hasTakenReceipt = (dispute: Held['disputes'][number], receipts: ReceiptRow[]) =>
  receipts.some(
    (one) =>
      one.processor === dispute.processor &&
      one.amount_minor === dispute.amount_minor &&
      one.status === 'returned' &&
      one.status_detail.includes('charged back'),
  );

const RULES = {
  'every payment comes to an end': ({ payment }) => (isClosed(payment.status) ? [] : ['is still open']),

  'no flow waits for what is over': ({ payment }, { runtime }) =>
    [workflowId.payment(payment.id), workflowId.topup(topupIdOf(payment.id))]
      .filter((id) => isClosed(payment.status) && runtime.runs.get(id)?.status === 'running')
      .map((id) => `flow ${id} still runs`),

  'nothing that was accepted is forgotten': ({ payment }) =>
    /cut off before anything was sent/.test(payment.status_detail) ? ['its flow was never started'] : [],

  'the money is where our books say': ({ payment, refunds, receipts, disputes, charges }) =>
    MODELLED.flatMap((processor) => {
      // A word on a dispute that came when it did not fit is for ops.
      if (disputes.some((one) => one.processor === processor && one.hasUnapplied)) return [];
      const isServing = payment.processor === processor;
      const there = sum(charges.filter((charge) => charge.processor === processor).map(kept));
      const { captured_minor, refunded_minor, charged_back_minor } = payment;
      const ours = isServing ? captured_minor - refunded_minor - charged_back_minor : 0n;
      const late = receipts.filter((one) => one.processor === processor && one.is_taken && one.status !== 'returned');
      // For review: a chargeback that does not fit, and a refund that was made after its amount had been refunded anew.
      const flagged = disputes.filter(
        (one) => one.processor === processor && one.status === 'flagged' && !hasTakenReceipt(one, receipts),
      );
      const beyond = refunds.filter((one) => isServing && one.status === 'declined' && one.review_since !== null);
      const inReview = [...flagged, ...beyond].map((one) => one.amount_minor);
      const expected = ours + sum(late.map((one) => one.amount_minor)) - sum(inReview);
      return there === expected ? [] : [`processor ${processor} keeps ${there}, our books say ${expected}`];
    }),

  // A page that was made too late was never shown to anybody.
  'nobody can still be charged': ({ payment, charges, receipts }, { network }) =>
    isClosed(payment.status)
      ? charges
          .filter(({ status }) => UNDER_WAY.has(status))
          .filter(({ status }) => status === 'authorized' || !network.wasTooSlow(payment.id))
          // A hold that a processor refuses to release is for ops.
          .filter(({ processor }) => {
            const isForOps = receipts.some((one) => one.processor === processor && one.status === 'refused');
            return !isForOps || !network.hasRefused(payment.id, 'void');
          })
          .map(({ processor, status }) => `processor ${processor} still has it ${status}`)
      : [],

  // Unless a request was on its way for longer than any should be.
  'fail-over never charges twice': ({ payment, charges }, { network }) => {
    const charging = new Set(charges.filter(hasMoney).map(({ processor }) => processor));
    return charging.size > 1 && !network.wasTooSlow(payment.id) ? [`charged by ${[...charging].join(' and ')}`] : [];
  },

  'every promise is kept or undone': ({ payment, operations }, world) =>
    world.requests.promises
      .filter(({ paymentId }) => paymentId === payment.id)
      .flatMap(({ operationId, kind }) => {
        const { status, detail } = operations.find(({ id }) => id === operationId)!;
        if (status === 'pending') return [`the ${kind} ${operationId} was accepted and is pending`];
        const isDone = kind === 'void' ? endedWithoutMoney(payment.status) : payment.captured_minor > 0n;
        if (status === 'succeeded') return isDone ? [] : [`the ${kind} ${operationId} succeeded and did nothing`];
        const isRefused = world.network.hasRefused(payment.id, kind);
        return isRefused ? [] : [`the ${kind} ${operationId} failed without being refused: ${detail}`];
      }),

  'each refund stands as it does at the processor': ({ payment, refunds }, world) =>
    refunds
      .filter(({ review_since }) => review_since === null)
      .flatMap(({ id, status }) => {
        const there = refundAt(world, payment.processor, id)?.status;
        const expected = there === 'refunded' ? 'succeeded' : 'declined';
        return status === expected ? [] : [`refund ${id} is ${status}, and ${there} at the processor`];
      }),

  // Unless the processor has it no more, or refuses to give it back: that is for ops.
  'late money goes back': ({ receipts, charges }, world) =>
    receipts
      .filter(({ status }) => status !== 'returned')
      .filter(({ status, processor, reference, amount_minor }) => {
        const left = sum(charges.filter((charge) => charge.processor === processor).map(untouched));
        const isDeclined = refundAt(world, processor, reference)?.status === 'declined';
        return status !== 'refused' || (left >= amount_minor && !isDeclined && !world.network.hasRefused(reference));
      })
      .map(({ id, status, status_detail }) => `receipt ${id} is ${status}: ${status_detail}`),

  'never more is refunded than captured': ({ charges }) =>
    charges.filter((charge) => untouched(charge) < 0n).map(({ processor }) => `processor ${processor} gave too much`),

  'merchants hear how it ended': ({ payment, refunds, notifications }) => {
    if (payment.beneficiary === 'wallet') return [];
    const told = notifications.some(({ type }) => type === `payment.${payment.status}`);
    const untold = refunds.filter(
      ({ id, status }) =>
        !notifications.some(({ data }) => data.refund?.refundId === id && data.refund.status === status),
    );
    return [
      ...(told ? [] : ['how it ended was not told']),
      ...untold.map(({ id, status }) => `that refund ${id} is ${status} was not told`),
    ];
  },
} satisfies Record<string, Rule>;
