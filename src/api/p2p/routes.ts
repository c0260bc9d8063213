import type { CustomerIdentity } from '../../identity/customers/identity';
import type { Membership } from '../../p2p/membership';
import type { MoneyRequests } from '../../p2p/money-requests';
import type { ScheduledTransfers } from '../../p2p/scheduled-transfers';
import type { Transfers } from '../../p2p/transfers';
import type { Route } from '../route';
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
