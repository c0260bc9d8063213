import { platformWith } from '../platform';

/**
 * Nothing is settled here, so that a state stays what it became; payers have four seconds, orders fifteen. Who drains may take
 * as long as the machine does.
 */
export const place = platformWith({
  PROCESSOR_INQUIRY_FIRST_MS: '300',
  PAYER_ACTION_TTL_MS: '4000',
  PAYER_TRANSFER_TTL_MS: '4000',
  PAYER_INQUIRY_FIRST_MS: '1000',
  ORDER_RESERVATION_MS: '15000',
  SIMULATOR_SETTLEMENT_EVERY_MS: '600000',
  SHUTDOWN_GRACE_MS: '60000',
});
