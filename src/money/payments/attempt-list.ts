import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { formatAmount } from '../../domain/money';
import type { AttemptStatus } from '../../domain/states/attempt';
import type { AttemptRow } from './attempt';
import type { PaymentRow } from './payment';
import { presentAuthentication } from './present';

export const OPERATION_KINDS = [
  'authorize',
  'capture',
  'void',
  'refund',
  'return',
  'representment',
  'acceptance',
] as const;
export const OPERATION_STATUSES = ['pending', 'succeeded', 'failed'] as const;
type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** What was asked of a processor for a payment, whichever table it stands in. */
interface Operation {
  processor: ProcessorId;
  id: string | null;
  kind: (typeof OPERATION_KINDS)[number];
  status: OperationStatus;
  amount_minor: bigint;
  currency: string;
  detail: string | null;
  sends: number;
  sent_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/**
 * Every operation of a payment but the authorizations, which are the attempts themselves. What the version before wrote
 * without a processor is about the one that serves the payment.
 */
const OPERATIONS = `
  SELECT coalesce(o.processor, p.processor) AS processor, o.id, o.kind, o.status, o.amount_minor, p.currency, o.detail,
    o.sends, CASE WHEN o.sends > 0 THEN o.sent_at END AS sent_at, o.created_at, o.updated_at
  FROM payments p JOIN payment_operations o ON o.payment_id = p.id WHERE p.id = :id
  UNION ALL
  SELECT coalesce(r.processor, p.processor), r.id, 'refund',
    CASE r.status WHEN 'declined' THEN 'failed' ELSE r.status END, r.amount_minor, r.currency, r.status_detail, r.attempts,
    r.submitted_at, r.created_at, r.updated_at
  FROM payments p JOIN refunds r ON r.payment_id = p.id WHERE p.id = :id
  UNION ALL
  SELECT u.processor, u.id, 'return',
    CASE u.status WHEN 'returning' THEN 'pending' WHEN 'returned' THEN 'succeeded' ELSE 'failed' END, u.amount_minor,
    u.currency, u.status_detail, u.sends, u.sent_at, u.created_at, u.updated_at
  FROM unapplied_receipts u WHERE u.payment_id = :id
  UNION ALL
  SELECT d.processor, o.id, CASE o.kind WHEN 'acceptance' THEN o.kind ELSE 'representment' END, o.status, d.amount_minor,
    d.currency, o.detail, o.attempts, CASE WHEN o.attempts > 0 THEN o.updated_at END, o.created_at, o.updated_at
  FROM disputes d JOIN dispute_operations o ON o.dispute_id = d.id WHERE d.payment_id = :id
  ORDER BY created_at, id`;

/** The attempts of a payment in the order in which they were made, each with its operations, oldest first. */
export async function listAttempts(trx: Knex.Transaction, payment: PaymentRow): Promise<Record<string, unknown>[]> {
  const attempts: AttemptRow[] = await trx('payment_attempts').where({ payment_id: payment.id }).orderBy('number');
  const { rows }: { rows: Operation[] } = await trx.raw(OPERATIONS, { id: payment.id });
  return attempts.map((attempt) =>
    presentAttempt(payment, attempt, [
      ...authorizationOf(payment, attempt),
      ...rows.filter(({ processor }) => processor === attempt.processor),
    ]),
  );
}

/** What became of the authorization. */
const AUTHORIZATION: Record<AttemptStatus, OperationStatus> = {
  pending: 'pending',
  requires_action: 'pending',
  authorized: 'succeeded',
  captured: 'succeeded',
  voided: 'failed',
  declined: 'failed',
  nothing_charged: 'failed',
};

function authorizationOf(payment: PaymentRow, attempt: AttemptRow): Operation[] {
  const { processor, detail, sends, sent_at, created_at, updated_at } = attempt;
  const { amount_minor, currency } = payment;
  // A hold that was released had been granted.
  const isGranted = attempt.status === 'voided' && payment.authorized_minor > 0n;
  const status = isGranted ? 'succeeded' : AUTHORIZATION[attempt.status];
  const authorization = {
    processor,
    id: null,
    kind: 'authorize',
    detail,
    sends,
    sent_at,
    created_at,
    updated_at,
  } as const;
  return sends > 0 ? [{ ...authorization, status, amount_minor, currency }] : [];
}

function presentAttempt(payment: PaymentRow, attempt: AttemptRow, operations: Operation[]): Record<string, unknown> {
  return {
    number: attempt.number,
    processor: attempt.processor,
    status: attempt.status,
    detail: attempt.detail,
    processorReference: attempt.processor_reference || undefined,
    authentication: attempt.sends > 0 ? presentAuthentication(payment) : undefined,
    operations: operations.map(presentOperation),
    createdAt: attempt.created_at,
    updatedAt: attempt.updated_at,
  };
}

function presentOperation(operation: Operation): Record<string, unknown> {
  return {
    operationId: operation.id ?? undefined,
    kind: operation.kind,
    status: operation.status,
    amount: formatAmount(operation.amount_minor, operation.currency),
    currency: operation.currency,
    detail: operation.detail ?? undefined,
    sends: operation.sends,
    sentAt: operation.sent_at ?? undefined,
    createdAt: operation.created_at,
    updatedAt: operation.updated_at,
  };
}
