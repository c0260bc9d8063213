import { DAY, days, ms } from './setting';
import type { Group } from './values';

/** What the bank grants third parties, and for how long. */
export const openBanking = {
  openBanking: {
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
        'With `0` the bank does not ask again: third parties reconfirm (article 10A of the United Kingdom)',
    ),
  },
} satisfies Group;
