import type { Tone } from '../parts/status';
import type { Answer, RecordOf } from '../server/api';

export type Consent = RecordOf<'/consents/1.0.0/consents'>;
export type WholeConsent = Answer<'/consents/1.0.0/consents/{consentId}'>;

/** A new status of the API does not compile before it has a tone. */
export const CONSENT_TONES: Record<Consent['status'], Tone> = {
  AwaitingAuthorisation: 'waiting',
  Authorised: 'good',
  Rejected: 'plain',
  Revoked: 'plain',
  Expired: 'plain',
  Consumed: 'good',
};

/** The key of each kind's name. A new kind of the API does not compile before it has one. */
export const KIND_NAMES: Record<Consent['kind'], string> = {
  account: 'consents.kinds.account',
  payment: 'consents.kinds.payment',
  funds: 'consents.kinds.funds',
};

/** Somebody can still end it. */
export function isOpen({ status }: Pick<Consent, 'status'>): boolean {
  return status === 'AwaitingAuthorisation' || status === 'Authorised';
}
