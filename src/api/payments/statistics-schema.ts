import Joi from 'joi';
import { PAYMENT_KINDS } from '../../domain/connector';
import { INTERVALS, type Interval } from '../../money/payments/statistics';
import { resultSchema } from '../records/result';
import { currency, instant, say } from '../server/conventions';

export interface StatisticsRequest {
  from: string;
  to: string;
  interval: Interval;
  timeZone: string;
  currency?: string;
}

const DAY_MS = 86_400_000;
/** An answer has no more intervals than these days have. A day may have 25 hours. */
const MOST_DAYS: Record<Interval, number> = { hour: 31, day: 92 };

/** `Europe/Lisbon`, `UTC`. An offset such as `+01:00` is none: the database would read it with the other sign. */
const ZONE = /^[A-Za-z]\w*(?:\/[\w+-]+)*$/;

function isTimeZone(name: string): boolean {
  try {
    return ZONE.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

export const statisticsQuery = Joi.object<StatisticsRequest>({
  from: instant()
    .required()
    .example('2026-01-31T00:00:00.000Z', { override: true })
    .description('Accepted at this time or later'),
  to: instant()
    .required()
    .example('2026-02-01T00:00:00.000Z', { override: true })
    .description('Accepted before this time'),
  interval: Joi.string()
    .valid(...INTERVALS)
    .default('day')
    .description(`At most ${MOST_DAYS.hour} days in hours, and ${MOST_DAYS.day} days in days`),
  timeZone: Joi.string()
    .max(64)
    .custom((name: string, helpers) =>
      isTimeZone(name) ? name : say(helpers, 'must be an IANA time zone, such as Europe/Lisbon'),
    )
    .default('UTC')
    .description('Where hours and days begin: a name of the IANA time zone database')
    .example('Europe/Lisbon'),
  currency: currency(),
}).custom((query: StatisticsRequest, helpers) => {
  const lasts = Date.parse(query.to) - Date.parse(query.from);
  if (lasts <= 0) return say(helpers, '`to` must be later than `from`');
  const most = MOST_DAYS[query.interval];
  return lasts <= (most + 1 / 24) * DAY_MS ? query : say(helpers, `at most ${most} days with this interval`);
});

const sum = (description: string) =>
  Joi.object({
    count: Joi.number().integer().required(),
    amount: Joi.string().required().example('10.00'),
  })
    .required()
    .description(description);

const accepted = () => sum('Every payment that was accepted. It is in one of `taken`, `refused`, `unpaid` and `open`');
const taken = () => sum('They took money. The amount is what was captured, before refunds and disputes');
const refused = () => sum('They failed');
const sums = () => ({
  accepted: accepted(),
  taken: taken(),
  refused: refused(),
  unpaid: sum('Cancelled, or the payer’s time was up'),
  open: sum('Not ended yet'),
  refunded: sum('Refunds of any payment that were asked for in this time and have succeeded'),
  chargedBack: sum('What is charged back of these payments now'),
});

export const statisticsSchema = Joi.object({
  from: instant().required(),
  to: instant().required(),
  interval: Joi.string()
    .valid(...INTERVALS)
    .required(),
  timeZone: Joi.string().required(),
  data: Joi.array()
    .items(
      Joi.object({
        currency: currency().required(),
        ...sums(),
        fees: Joi.string().required().example('0.10').description('What the tenant keeps of `taken` as its fees'),
        refusals: Joi.array()
          .items(
            Joi.object({
              result: resultSchema.required(),
              count: Joi.number().integer().required(),
              amount: Joi.string().required().example('10.00'),
            }),
          )
          .required()
          .description('`refused` by result code, the most frequent first'),
        kinds: Joi.array()
          .items(
            Joi.object({
              kind: Joi.string()
                .valid(...PAYMENT_KINDS)
                .required(),
              accepted: accepted(),
              taken: taken(),
              refused: refused(),
            }),
          )
          .required(),
        intervals: Joi.array()
          .items(Joi.object({ at: instant().required().description('When it begins'), ...sums() }))
          .required()
          .description('Oldest first. Those in which nothing happened are left out'),
      }),
    )
    .required()
    .description('One record per currency. Amounts of two currencies are never added'),
});
