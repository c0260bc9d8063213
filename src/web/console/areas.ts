import { account } from './account/area';
import { activation } from './activation/area';
import { approvals } from './approvals/area';
import type { Area } from './area';
import { audit } from './audit/area';
import { bankTransfers } from './bank-transfers/area';
import { consents } from './consents/area';
import { customers } from './customers/area';
import { disputes } from './disputes/area';
import { fees } from './fees/area';
import { integration } from './integration/area';
import { items } from './items/area';
import { links } from './links/area';
import { notifications } from './notifications/area';
import { operations } from './operations/area';
import { orders } from './orders/area';
import { organizations } from './organizations/area';
import { pageTheme } from './page-theme/area';
import { payments } from './payments/area';
import { payouts } from './payouts/area';
import { people } from './people/area';
import { routing } from './routing/area';
import { tenants } from './tenants/area';
import { thirdParties } from './third-parties/area';
import { tickets } from './tickets/area';
import { wallets } from './wallets/area';

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
  activation,
  approvals,
  customers,
  wallets,
  consents,
  fees,
  organizations,
  routing,
  pageTheme,
  operations,
  tenants,
  thirdParties,
  people,
  audit,
  account,
];
