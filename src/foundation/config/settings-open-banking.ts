import { DAY, days, MINUTE, ms, text, textOr } from './setting';
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
    consentTtlMs: ms('CONSENT_TTL_MS', DAY, 'How long a new consent waits for its customer. Then it expires', {
      min: 1,
    }),
    reminderMs: ms(
      'CONSENT_REMINDER_MS',
      7 * DAY,
      'How long before a consent expires, or before the customer has to authenticate again for it, the customer is told',
    ),
    reauthenticationDays: days(
      'REAUTHENTICATION_DAYS',
      180,
      'How long after the authentication of its customer a consent lets third parties read accounts (RTS article 10). ' +
        'With `0` the bank does not ask again: third parties reconfirm every 90 days (article 10A of the United Kingdom)',
    ),
    entrance: {
      certPath: text(
        'AUTH_TLS_CERT',
        'The certificate chain that the entrance of TPPs serves on `AUTH_PORT`. Set it together with `AUTH_TLS_KEY`. ' +
          'The sandbox makes its own. Without it, production does not open the entrance',
        { form: 'PEM file' },
      ),
      keyPath: text('AUTH_TLS_KEY', 'The private key of that certificate', { form: 'PEM file' }),
      clientCaPath: text(
        'AUTH_CLIENT_CA',
        'The certificate authorities that issue certificates of TPPs. Self-signed certificates need none',
        { form: 'PEM file' },
      ),
    },
  },
} satisfies Group;
