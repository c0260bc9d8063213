import { platformWith } from '../platform';

/** Nothing is settled here, so that a state stays what it became. */
export const place = platformWith({ PROVIDER_INQUIRY_FIRST_MS: '300', SIMULATOR_SETTLEMENT_EVERY_MS: '600000' });
