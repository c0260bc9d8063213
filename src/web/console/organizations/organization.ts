import type { Tone } from '../parts/status';
import type { Answer, RecordOf } from '../server/api';

export type Organization = Answer<'/onboarding/1.0.0/merchants/{organizationId}'>;
export type Activation = RecordOf<'/onboarding/1.0.0/activations'>;
export type Accounts = Answer<'/payouts/1.0.0/accounts/{organizationId}'>;
export type Account = Accounts['history'][number];

export const STATE_TONES: Record<Organization['state'], Tone> = { invited: 'waiting', active: 'good' };
export const MODE_TONES: Record<Organization['mode'], Tone> = { sandbox: 'plain', live: 'good' };
export const ACTIVATION_TONES: Record<Activation['status'], Tone> = {
  submitted: 'moving',
  in_review: 'waiting',
  approved: 'good',
  rejected: 'bad',
  withdrawn: 'plain',
};
export const ACCOUNT_TONES: Record<Account['status'], Tone> = {
  unverified: 'waiting',
  verified: 'good',
  blocked: 'bad',
};
