import { Simulator } from '../../e2e/client';
import { platformWith } from '../platform';

/** Settles every second, and misses a flow or a batch as soon. */
export const place = platformWith({
  LOST_FLOW_MS: '1000',
  RECONCILIATION_EVERY_MS: '2000',
  SIMULATOR_SETTLEMENT_EVERY_MS: '1000',
  LOG_LEVEL: 'warn',
  API_RATE_LIMIT_PER_SECOND: '100000',
});

/** The processor that sends payouts. */
export const bank = () => new Simulator(place.stack.credentials.simulatorUrl, 'b');
