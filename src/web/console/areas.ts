import { account } from './account/area';
import type { Area } from './area';
import { payments } from './payments/area';
import { people } from './people/area';

/** Everything that the console shows, in the order of the menu. */
export const AREAS: readonly Area[] = [payments, people, account];
