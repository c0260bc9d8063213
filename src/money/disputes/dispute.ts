import type { ProcessorId } from '../../domain/connector';
import type { EventAbout } from '../../domain/event-subject';
import type { DisputeStatus } from '../../domain/states/dispute';

/** What a processor may say of a dispute, by callback or when asked. */
export type DisputeWord = EventAbout<'dispute'>;

/** One row of `disputes`. Amounts are minor units of `currency`. */
export interface DisputeRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  payment_id: string;
  processor: ProcessorId;
  case_id: string;
  /** `return`: the payer's bank sent a direct debit back, which cannot be contested. */
  kind: 'chargeback' | 'return';
  currency: string;
  amount_minor: bigint;
  reason: string | null;
  status: DisputeStatus;
  status_detail: string;
  /** Until when the merchant may submit evidence; absent where it may not. */
  evidence_due_at: Date | null;
  /** When the processor took our second presentment. */
  presented_at: Date | null;
  /** When the second presentment was accepted, and the money came back for the time being. */
  second_presentment_at: Date | null;
  /** What the processor said of it while it was flagged, to be applied once it is open. */
  unapplied_words: DisputeWord[];
  closed_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Everything that happens to a dispute; each is a row of `dispute_events`. */
export type DisputeStep =
  | 'flagged'
  | 'charged_back'
  | 'returned'
  | 'evidence_submitted'
  | 'presented'
  | 'second_presentment'
  | 'won'
  | 'lost'
  | 'refused'
  | 'not_applied';

export interface DisputeEventRow {
  id: bigint;
  step: DisputeStep;
  from_status: DisputeStatus | null;
  to_status: DisputeStatus;
  /** Negative: money that left the merchant. */
  moved_minor: bigint;
  cause: string;
  detail: string;
  at: Date;
}

/** What the merchant wants the processor to be told. */
export interface DisputeOperationRow {
  id: string;
  tenant_id: string;
  dispute_id: string;
  kind: 'evidence' | 'second_presentment' | 'acceptance';
  status: 'pending' | 'succeeded' | 'failed';
  detail: string;
  attempts: number;
  created_at: Date;
  updated_at: Date;
}
