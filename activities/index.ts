import { commerceActivities } from './commerce';
import type { Dependencies } from './dependencies';
import { withFailures } from './failures';
import { moneyActivities } from './money';
import { openBankingActivities } from './open-banking';
import { peopleActivities } from './people';

/** Every activity that the workers run, over the given dependencies. Its area in src says what each of them does. */
export function createActivities(deps: Dependencies) {
  return withFailures({
    ...commerceActivities(deps),
    ...moneyActivities(deps),
    ...openBankingActivities(deps),
    ...peopleActivities(deps),
  });
}

export type Activities = ReturnType<typeof createActivities>;
