import type { ConsentRow } from '../../open-banking/consents/consent';
import { recordOf, sharesRefundAccount } from '../../open-banking/payments/initiation';
import type { ConsentWords } from './words';

/** What a provider sees under a consent, in the words of the customer. */
export function sightsOf(consent: ConsentRow, words: ConsentWords): string[] {
  if (consent.kind === 'payment') return sharesRefundAccount(recordOf(consent)) ? [words.refundAccount] : [];
  return [...new Set(consent.permissions.map((name) => words.permissions[name] ?? name))];
}
