import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Fact, Facts, Section } from '../parts/facts';
import { AmountInput, Input, instantOf } from '../parts/input';
import { Problem } from '../parts/problem';
import { type Answer, api } from '../server/api';
import { useScope } from '../session/scope';
import type { Person } from '../session/session';

type Standing = Answer<'/payouts/1.0.0/balance'>;
const MOVING = ['scheduled', 'sent'];

/** What can be paid out now, why it is no more, and the button that does it. */
export function Balance() {
  const translate = useTranslate();
  const { organizationId } = useScope();
  const { permissions: person } = usePermissions<Person>();
  const [currency, setCurrency] = useState('EUR');
  // The API binds a merchant to its own; a tenant admin has to name one.
  const named = person?.role === 'tenant_admin' ? { organizationId } : {};
  const { data, error } = useQuery({
    queryKey: ['payout-balance', currency, organizationId],
    enabled: organizationId !== undefined && /^[A-Z]{3}$/.test(currency),
    queryFn: ({ signal }) => api.get('/payouts/1.0.0/balance', { query: { currency, ...named }, signal }),
  });
  if (!organizationId) return null;
  const rows = ['balance', 'unsettled', 'refunding', 'reserveToHold', 'reserveToRelease', 'minimum'] as const;
  return (
    <Box sx={{ p: 2 }}>
      <Section title={translate('payouts.balance.title')} acts={data && <PayOut standing={data} named={named} />}>
        <Box sx={{ maxWidth: 160 }}>
          <Input label={translate('payouts.currency')} value={currency} onChange={setCurrency} />
        </Box>
        <Problem error={error} />
        {data && (
          <Facts>
            <Fact name={translate('payouts.balance.available')}>
              <strong>
                <Amount amount={data.available} currency={data.currency} />
              </strong>
            </Fact>
            {rows.map((name) => (
              <Fact key={name} name={translate(`payouts.balance.${name}`)}>
                <Amount amount={data[name]} currency={data.currency} />
              </Fact>
            ))}
          </Facts>
        )}
      </Section>
    </Box>
  );
}

function PayOut({ standing, named }: { standing: Standing; named: { organizationId?: string } }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const { currency, available, organizationId } = standing;
  const [amount, setAmount] = useState('');
  const [sendAt, setSendAt] = useState('');
  // Not a state: the act asks with what was known when it was sent.
  const payoutId = useRef('');
  const body = { currency, ...named, ...(amount && { amount }), ...(sendAt && { sendAt: instantOf(sendAt) }) };
  return (
    <Act
      id={`pay-out/${organizationId}/${currency}`}
      label={translate('payouts.payOut.act')}
      question={translate('payouts.payOut.question', {
        amount: amount ? `${amount} ${currency}` : say(available, currency),
      })}
      variant="contained"
      disabled={/^-|^0(\.0*)?$/.test(available)}
      values={body}
      send={async ({ idempotencyKey }) => {
        const made = await api.post('/payouts/1.0.0/payouts', { body, idempotencyKey });
        payoutId.current = made.payoutId;
        return made;
      }}
      outcomeOf={({ status, amount: paid, detail, sendAt: at }) => {
        if (status === 'scheduled' && new Date(at).getTime() > Date.now())
          return { state: 'done', text: translate('payouts.payOut.scheduled', { amount: say(paid, currency) }) };
        if (MOVING.includes(status)) return { state: 'pending' };
        if (status === 'settled')
          return { state: 'done', text: translate('payouts.payOut.done', { amount: say(paid, currency) }) };
        return { state: 'refused', text: detail };
      }}
      poll={(signal) => api.get('/payouts/1.0.0/payouts/{payoutId}', { path: { payoutId: payoutId.current }, signal })}
      onDone={refresh}
    >
      <AmountInput
        label={translate('payouts.amount')}
        helperText={translate('payouts.payOut.amountHelp')}
        value={amount}
        onChange={setAmount}
      />
      <Input
        label={translate('payouts.sendAt')}
        helperText={translate('payouts.payOut.sendAtHelp')}
        value={sendAt}
        onChange={setSendAt}
        type="datetime-local"
      />
    </Act>
  );
}
