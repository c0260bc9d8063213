import type { ActivationInput, ActivationView } from '../../domain/flows';
import { isOpenActivation } from '../../domain/states/activation';
import type { Database } from '../../foundation/db/database';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import { type ActivationDependencies, ActivationSteps } from './activation-steps';

/** Does what is due of an application to go live and tells what is waited for. Safe to repeat at any time. */
export async function advanceActivation(
  {
    database,
    activation,
    firstAnswers,
  }: { database: Database; activation: ActivationDependencies; firstAnswers: FirstAnswers },
  { activationId, tenantId }: ActivationInput,
): Promise<ActivationView> {
  const steps = new ActivationSteps(database, activation, (trx, subject) => firstAnswers.announce(trx, subject));
  const { row, open, nextAt } = await steps.look(tenantId, activationId);
  return {
    status: row.status,
    detail: open.length > 0 ? `Not there yet: ${open.join(', ')}.` : 'Everything is there.',
    sinceMs: (row.decided_at ?? row.created_at).getTime(),
    ...(nextAt && { nextInMs: Math.max(1, nextAt.getTime() - Date.now()) }),
    ended: !isOpenActivation(row.status),
  };
}
