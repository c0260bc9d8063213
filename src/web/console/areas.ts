import { account } from './account/area';
import type { Area } from './area';
import { operations } from './operations/area';
import { payments } from './payments/area';

/** Everything that the console shows, in the order of the menu. */
export const AREAS: readonly Area[] = [payments, operations, account];
