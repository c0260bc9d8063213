import { Box, Typography } from '@mui/material';
import { useLocale, useTranslate } from 'react-admin';
import { amountText, useAmountText } from '../parts/amount';
import { Section } from '../parts/facts';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { api, type RecordOf } from '../server/api';
import { useScope } from '../session/scope';
import { regionOf } from '../words/words';
import { NextPayout } from './next-payout';
import { Refusals } from './refusals';

type Statistics = RecordOf<'/ipg/1.0.0/payment/statistics'>;
type Days = Statistics['intervals'];

const DAYS = 14;
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function daysAgo(days: number, from: Date): Date {
  const day = new Date(from);
  day.setDate(day.getDate() - days);
  return day;
}

function midnight(of: Date): Date {
  return new Date(of.getFullYear(), of.getMonth(), of.getDate());
}

function read(from: Date, to: Date, signal: AbortSignal) {
  const query = { from: from.toISOString(), to: to.toISOString(), interval: 'day', timeZone } as const;
  return api.get('/ipg/1.0.0/payment/statistics', { query, signal });
}

/** Today so far, beside the same part of the same day last week, and the days before. */
export function PaymentOverview() {
  const translate = useTranslate();
  const { organizationId } = useScope();
  const { data, error } = useLive(
    ['payment-overview'],
    async (signal) => {
      const now = new Date();
      const [today, lastWeek, days] = await Promise.all([
        read(midnight(now), now, signal),
        read(midnight(daysAgo(7, now)), daysAgo(7, now), signal),
        read(midnight(daysAgo(DAYS - 1, now)), now, signal),
      ]);
      return { today: today.data, lastWeek: lastWeek.data, days: days.data };
    },
    () => true,
    organizationId !== undefined,
  );
  if (!organizationId) return null;
  return (
    <>
      <Problem error={error} />
      {data?.days.length === 0 && (
        <Section title={translate('payments.overview.title', { currency: '' })}>
          <Typography>{translate('payments.overview.none')}</Typography>
        </Section>
      )}
      {data?.days.map((all) => (
        <OneCurrency
          key={all.currency}
          organizationId={organizationId}
          all={all}
          today={data.today.find(({ currency }) => currency === all.currency)}
          lastWeek={data.lastWeek.find(({ currency }) => currency === all.currency)}
        />
      ))}
    </>
  );
}

interface OneCurrencyProps {
  organizationId: string;
  all: Statistics;
  today?: Statistics;
  lastWeek?: Statistics;
}

function OneCurrency({ organizationId, all, today, lastWeek }: OneCurrencyProps) {
  const translate = useTranslate();
  const say = useAmountText();
  const { currency } = all;
  const nothing = { count: 0, amount: zeroLike(all.taken.amount) };
  const figures = ['taken', 'refused', 'refunded'] as const;
  return (
    <Section title={translate('payments.overview.title', { currency })}>
      <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: 'repeat(4, 1fr)' }, gap: 2, mb: 2 }}>
        {figures.map((name) => {
          const now = today?.[name] ?? nothing;
          const then = lastWeek?.[name] ?? nothing;
          return (
            <Figure key={name} name={translate(`payments.overview.${name}`)} value={say(now.amount, currency)}>
              {translate('payments.overview.count', { smart_count: now.count })} ·{' '}
              {translate('payments.overview.lastWeek', { amount: say(then.amount, currency), count: then.count })}
            </Figure>
          );
        })}
        <Figure name={translate('payments.overview.fees')} value={say(today?.fees ?? nothing.amount, currency)}>
          {translate('payments.overview.lastWeekAmount', { amount: say(lastWeek?.fees ?? nothing.amount, currency) })}
        </Figure>
      </Box>
      <Typography component="h3" variant="subtitle2">
        {translate('payments.overview.takenByDay', { days: DAYS })}
      </Typography>
      <Bars days={all.intervals} currency={currency} />
      {all.refusals.length > 0 && <Refusals refusals={all.refusals} currency={currency} days={DAYS} />}
      <NextPayout organizationId={organizationId} currency={currency} />
    </Section>
  );
}

function Figure({ name, value, children }: { name: string; value: string; children: React.ReactNode }) {
  return (
    <div>
      <Typography variant="body2" color="text.secondary">
        {name}
      </Typography>
      <Typography variant="h6" component="p">
        {value}
      </Typography>
      <Typography variant="caption" color="text.secondary">
        {children}
      </Typography>
    </div>
  );
}

const HEIGHT = 100;

/** A bar for each day, as high as what was taken; days with nothing have none. The same stands in a table. */
function Bars({ days, currency }: { days: Days; currency: string }) {
  const translate = useTranslate();
  const locale = useLocale();
  const format = new Intl.DateTimeFormat(regionOf(locale), { day: 'numeric', month: 'short' });
  const minor = days.map(({ taken }) => BigInt(taken.amount.replace('.', '')));
  let most = 1n;
  for (const one of minor) if (one > most) most = one;
  const first = midnight(daysAgo(DAYS - 1, new Date())).getTime();
  return (
    <>
      <Box
        component="svg"
        viewBox={`0 0 ${DAYS * 24} ${HEIGHT + 2}`}
        preserveAspectRatio="none"
        aria-hidden
        sx={{ width: '100%', height: 120, color: 'primary.main', borderBottom: 1, borderColor: 'divider' }}
      >
        {days.map(({ at }, index) => {
          const height = Number((minor[index]! * BigInt(HEIGHT)) / most);
          const place = Math.round((Date.parse(at) - first) / 86_400_000);
          return (
            <rect key={at} x={place * 24 + 3} y={HEIGHT - height} width={18} height={height + 2} fill="currentColor" />
          );
        })}
      </Box>
      <Box component="details" sx={{ mt: 1 }}>
        <Typography component="summary" variant="body2" sx={{ cursor: 'pointer' }}>
          {translate('payments.overview.table')}
        </Typography>
        <Box component="table" sx={{ borderSpacing: '1rem 0.25rem', fontSize: '0.875rem', textAlign: 'left' }}>
          <thead>
            <tr>
              <th scope="col">{translate('payments.overview.day')}</th>
              <th scope="col">{translate('payments.overview.taken')}</th>
              <th scope="col">{translate('payments.overview.refused')}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ at, taken, refused }) => (
              <tr key={at}>
                <th scope="row">{format.format(new Date(at))}</th>
                <td>{amountText(taken.amount, currency, locale)}</td>
                <td>{refused.count}</td>
              </tr>
            ))}
          </tbody>
        </Box>
      </Box>
    </>
  );
}

/** Zero with the decimals of another amount. */
function zeroLike(amount: string): string {
  return amount.replace(/\d+/, '0').replace(/\.\d+/, (decimals) => decimals.replace(/\d/g, '0'));
}
