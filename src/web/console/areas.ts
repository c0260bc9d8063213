import { account } from './account/area';
import { approvals } from './approvals/area';
import type { Area } from './area';
import { audit } from './audit/area';
import { bankTransfers } from './bank-transfers/area';
import { customers } from './customers/area';
import { disputes } from './disputes/area';
import { fees } from './fees/area';
import { integration } from './integration/area';
import { items } from './items/area';
import { links } from './links/area';
import { notifications } from './notifications/area';
import { operations } from './operations/area';
import { orders } from './orders/area';
import { payments } from './payments/area';
import { payouts } from './payouts/area';
import { people } from './people/area';
import { tickets } from './tickets/area';

/** Everything that the console shows, in the order of the menu. */
export const AREAS: readonly Area[] = [
  payments,
  payouts,
  items,
  orders,
  links,
  bankTransfers,
  tickets,
  disputes,
  notifications,
  integration,
  approvals,
  customers,
  fees,
  operations,
  people,
  audit,
  account,
];
