import type { Membership } from '../../money/p2p/membership';
import type { MoneyRequests } from '../../money/p2p/money-requests';
import type { ScheduledTransfers } from '../../money/p2p/scheduled-transfers';
import type { Transfers } from '../../money/p2p/transfers';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import type { Route } from '../server/route';
import { memberRoutes } from './member-routes';
import { moneyRequestRoutes } from './money-request-routes';
import { scheduleRoutes } from './schedule-routes';
import { transferRoutes } from './transfer-routes';

export interface P2pDependencies {
  identity: Pick<CustomerIdentity, 'secondFactor'>;
  membership: Membership;
  transfers: Transfers;
  moneyRequests: MoneyRequests;
  scheduledTransfers: ScheduledTransfers;
}

/** Transfers between customers: who can be sent to, sending and taking, asking for money, and what comes by schedule. */
export function p2pRoutes(deps: P2pDependencies): Route[] {
  return [...memberRoutes(deps), ...transferRoutes(deps), ...moneyRequestRoutes(deps), ...scheduleRoutes(deps)];
}
