import type { Membership } from '../../money/p2p/membership';
import type { MoneyRequests } from '../../money/p2p/money-requests';
import type { ScheduledTransfers } from '../../money/p2p/scheduled-transfers';
import type { Transfers } from '../../money/p2p/transfers';
import type { CustomerIdentity } from '../../people/customer-access/identity';

export interface P2pDependencies {
  identity: Pick<CustomerIdentity, 'secondFactor'>;
  membership: Membership;
  transfers: Transfers;
  moneyRequests: MoneyRequests;
  scheduledTransfers: ScheduledTransfers;
}
