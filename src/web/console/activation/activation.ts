import type { Outcome } from '../parts/act-sending';
import type { Tone } from '../parts/status';
import { type Answer, api, type RecordOf } from '../server/api';

export const ACTIVATIONS = '/onboarding/1.0.0/activations';
export const ACTIVATION = '/onboarding/1.0.0/activations/{activationId}';

export type ActivationLine = RecordOf<typeof ACTIVATIONS>;
export type Activation = Answer<typeof ACTIVATION>;

export const ACTIVATION_TONES: Record<ActivationLine['status'], Tone> = {
  submitted: 'moving',
  in_review: 'waiting',
  approved: 'good',
  rejected: 'bad',
  withdrawn: 'plain',
};

/** Nobody has decided yet. */
export function isOpen({ status, decision }: ActivationLine): boolean {
  return (status === 'submitted' || status === 'in_review') && decision === undefined;
}

/** A decision takes effect a moment after it was taken. */
export function outcomeOf({ status, decision }: Activation): Outcome {
  return { state: status === decision ? 'done' : 'pending' };
}

export function pollOf({ activationId }: Activation) {
  return (signal: AbortSignal) => api.get(ACTIVATION, { path: { activationId }, signal });
}
