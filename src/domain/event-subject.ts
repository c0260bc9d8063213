import type { ProcessorEventType } from './connector';

/** What an event is about. A callback about a payment may be about a card's verification: its reference says so. */
export const EVENT_SUBJECTS = {
  authenticated: 'payment',
  authentication_failed: 'payment',
  authorized: 'payment',
  captured: 'payment',
  settled: 'payment',
  voided: 'payment',
  failed: 'payment',
  pending: 'payment',
  processing: 'payment',
  transfer_received: 'payment',
  unknown: 'payment',
  refunded: 'refund',
  refund_declined: 'refund',
  charged_back: 'dispute',
  returned: 'dispute',
  second_presentment: 'dispute',
  chargeback_won: 'dispute',
  chargeback_lost: 'dispute',
  payout_settled: 'payout',
  payout_returned: 'payout',
  payout_refused: 'payout',
  settlement_batch: 'batch',
  card_update: 'card',
} as const satisfies Record<ProcessorEventType, 'payment' | 'refund' | 'dispute' | 'payout' | 'batch' | 'card'>;

export type EventSubject = (typeof EVENT_SUBJECTS)[ProcessorEventType];

/** The events about one subject: what they mean to it is a Record over these. */
export type EventAbout<Subject extends EventSubject> = {
  [Type in ProcessorEventType]: (typeof EVENT_SUBJECTS)[Type] extends Subject ? Type : never;
}[ProcessorEventType];

export function isAbout<Subject extends EventSubject>(
  subject: Subject,
  type: ProcessorEventType,
): type is EventAbout<Subject> {
  return EVENT_SUBJECTS[type] === subject;
}
