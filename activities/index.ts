import type { Dependencies } from './dependencies';
import { withFailures } from './failures';
import { moneyActivities } from './money';
import { peopleActivities } from './people';

/** Every activity the workers run, over the given dependencies. What each of them means stands in its area in src. */
export function createActivities(deps: Dependencies) {
  return withFailures({ ...moneyActivities(deps), ...peopleActivities(deps) });
}

export type Activities = ReturnType<typeof createActivities>;
