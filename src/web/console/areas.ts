import { account } from './account/area';
import { approvals } from './approvals/area';
import type { Area } from './area';
import { customers } from './customers/area';
import { disputes } from './disputes/area';
import { fees } from './fees/area';
import { integration } from './integration/area';
import { notifications } from './notifications/area';
import { organizations } from './organizations/area';
import { pageTheme } from './page-theme/area';
import { payments } from './payments/area';
import { wallets } from './wallets/area';

/** Everything that the console shows, in the order of the menu. */
export const AREAS: readonly Area[] = [
  payments,
  disputes,
  notifications,
  integration,
  approvals,
  customers,
  wallets,
  fees,
  organizations,
  pageTheme,
  account,
];
