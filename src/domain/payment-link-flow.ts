import type { PaymentLinkStatus } from './states/payment-link';

/** What clients and the workflow of a payment link agree on. Holds no logic. */

export interface PaymentLinkInput {
  paymentLinkId: string;
  tenantId: string;
}

export interface PaymentLinkView {
  status: PaymentLinkStatus;
  detail: string;
  /** When it came to that status, in milliseconds since the epoch. */
  sinceMs: number;
  /** When the time for what it waits for is up, in milliseconds since the epoch. */
  untilMs?: number;
  ended: boolean;
}
