import { account } from './account/area';
import { activation } from './activation/area';
import { approvals } from './approvals/area';
import type { Area } from './area';
import { customers } from './customers/area';
import { disputes } from './disputes/area';
import { fees } from './fees/area';
import { integration } from './integration/area';
import { notifications } from './notifications/area';
import { operations } from './operations/area';
import { payments } from './payments/area';
/** Everything that the console shows, in the order of the menu. */
export const AREAS: readonly Area[] = [
  payments,
  disputes,
  notifications,
  integration,
  activation,
  approvals,
  customers,
  fees,
  operations,
  account,
];
