import { platformWith } from '../platform';

/** Waits for nobody long: processors, payers, merchants. Nothing is settled, so that a state stays what it became. */
export const place = platformWith({
  PROCESSOR_TIMEOUT_MS: '800',
  PROCESSOR_IN_FLIGHT_MS: '2000',
  PROCESSOR_INQUIRY_FIRST_MS: '200',
  CALLBACK_RETRY_FIRST_MS: '200',
  CALLBACK_RETRY_MAX_MS: '500',
  PAYER_ACTION_TTL_MS: '1500',
  AUTHORIZATION_TTL_MS: '5000',
  SIMULATOR_SETTLEMENT_EVERY_MS: '600000',
});
