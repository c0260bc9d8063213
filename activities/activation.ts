import type { ActivationInput, ActivationView } from '../src/domain/flows';
import { isOpenActivation } from '../src/domain/states/activation';
import { ActivationSteps } from '../src/people/onboarding/activation-steps';
import type { Dependencies } from './dependencies';

/** The one step of an activation: look at what Postgres says, do what is due, tell what is waited for. */
export function activationActivities({ database, activation, firstAnswers }: Dependencies) {
  const steps = new ActivationSteps(database, activation, (trx, subject) => firstAnswers.announce(trx, subject));

  async function lookAtActivation({ activationId, tenantId }: ActivationInput): Promise<ActivationView> {
    const { row, open, nextAt } = await steps.look(tenantId, activationId);
    return {
      status: row.status,
      detail: open.length > 0 ? `Not there yet: ${open.join(', ')}.` : 'Everything is there.',
      sinceMs: (row.decided_at ?? row.created_at).getTime(),
      ...(nextAt && { nextInMs: Math.max(1, nextAt.getTime() - Date.now()) }),
      ended: !isOpenActivation(row.status),
    };
  }

  return { lookAtActivation };
}
