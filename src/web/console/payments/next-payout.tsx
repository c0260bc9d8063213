import { Typography } from '@mui/material';
import { usePermissions, useTranslate } from 'react-admin';
import { useAmountText } from '../parts/amount';
import { Instant } from '../parts/instant';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { api } from '../server/api';
import type { Person } from '../session/session';

export interface NextPayoutProps {
  organizationId: string;
  currency: string;
}

/** What can be paid out in a currency, and what is scheduled. Operators do not see balances of sellers. */
export function NextPayout({ organizationId, currency }: NextPayoutProps) {
  const translate = useTranslate();
  const say = useAmountText();
  const { permissions: person } = usePermissions<Person>();
  const { data, error } = useReading(
    ['next-payout', organizationId, currency],
    async (signal) => {
      const [balance, scheduled] = await Promise.all([
        api.get('/payouts/1.0.0/balance', { query: { organizationId, currency }, signal }),
        api.get('/payouts/1.0.0/payouts', { query: { currency, status: 'scheduled', limit: 200 }, signal }),
      ]);
      const [next] = scheduled.data.sort((one, other) => Date.parse(one.sendAt) - Date.parse(other.sendAt));
      return { balance, next };
    },
    person !== undefined && person.role !== 'ops',
  );
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const { balance, next } = data;
  return (
    <>
      <Typography component="h3" variant="subtitle2" sx={{ mt: 2 }}>
        {translate('payments.overview.nextPayout')}
      </Typography>
      <Typography variant="body2">
        {next ? (
          <>
            {translate('payments.overview.scheduled', { amount: say(next.amount, currency) })}{' '}
            <Instant at={next.sendAt} />
          </>
        ) : (
          translate('payments.overview.noneScheduled')
        )}
      </Typography>
      <Typography variant="body2" color="text.secondary">
        {translate('payments.overview.available', {
          available: say(balance.available, currency),
          unsettled: say(balance.unsettled, currency),
        })}
      </Typography>
    </>
  );
}
