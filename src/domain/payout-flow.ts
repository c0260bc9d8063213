import type { PayoutStatus } from './states/payout';

/** What a payout's flow is called with, and what it needs to know of its payout after each step. */

export interface PayoutInput {
  payoutId: string;
  tenantId: string;
  /** How often the processor was asked by the runs before, when the flow goes on as a new run. */
  tries?: number;
}

export interface PayoutView {
  status: PayoutStatus;
  detail: string;
  /** When it came to that status, in milliseconds since the epoch. */
  sinceMs: number;
  waitsFor: 'nobody' | 'time' | 'provider';
  /** How long until the flow goes on by itself, in milliseconds; absent: it has ended. */
  nextInMs?: number;
  /** Set once ops should look at it. */
  review?: string;
}
