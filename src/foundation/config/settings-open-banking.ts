import { MINUTE, ms, textOr } from './setting';
import type { Group } from './values';

/** Open banking: what third-party providers (TPPs) may do. */
export const openBanking = {
  openBanking: {
    trustAnchor: textOr(
      'TRUST_ANCHOR',
      'openbanking.tillway.example',
      'The domain name of the trust anchor where TPPs and we have registered our keys. Each signature names it (`tan`)',
      'domain name',
    ),
    signatureMaxAgeMs: ms(
      'SIGNATURE_MAX_AGE_MS',
      5 * MINUTE,
      'How old the signature of a payment request may be when it arrives',
    ),
    clockSkewMs: ms('TPP_CLOCK_SKEW_MS', MINUTE, 'How far the clock of a TPP may be ahead of ours'),
  },
} satisfies Group;
