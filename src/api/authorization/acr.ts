import type { WebCustomer } from '../../people/customer-access/web-sessions';

/** What an id token says of how the customer has authenticated: the names of the UK standard (`acr`). */
export const ACRS = ['urn:openbanking:psd2:sca', 'urn:openbanking:psd2:ca'] as const;

/**
 * Strong customer authentication (RTS article 4) was done with a second factor at the sign-in, or with the confirmation of
 * this very payment. The password alone is customer authentication.
 */
export function acrOf({ hasSecondFactor }: WebCustomer, stepUpId: string | undefined): (typeof ACRS)[number] {
  return hasSecondFactor || stepUpId !== undefined ? ACRS[0] : ACRS[1];
}
