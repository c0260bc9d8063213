import type { ConsentStatus } from './states/consent';

/** What clients and the workflow of a consent agree on. Holds no logic. */

export interface ConsentInput {
  consentId: string;
  tenantId: string;
}

export interface ConsentView {
  status: ConsentStatus;
  detail: string;
  /** When it came to that status, in milliseconds since the epoch. */
  sinceMs: number;
  /** When the time for what it waits for is up, in milliseconds since the epoch. */
  untilMs?: number;
  /** How long until something is due without anybody acting, in milliseconds. */
  nextInMs?: number;
  ended: boolean;
}
