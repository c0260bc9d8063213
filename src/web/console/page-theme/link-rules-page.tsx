import { Box, Checkbox, FormControlLabel } from '@mui/material';
import { useEffect, useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { AmountInput, Input, instantOf } from '../parts/input';
import { Instant } from '../parts/instant';
import { PlainTable } from '../parts/plain-table';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { type Answer, api, type RecordOf } from '../server/api';

type Settings = Answer<'/payment-links/1.0.0/settings'>;
type Delegation = RecordOf<'/payment-links/1.0.0/delegations'>;

const SETTINGS = '/payment-links/1.0.0/settings';
const DELEGATIONS = '/payment-links/1.0.0/delegations';

/** Which links wait for whom, and who decides in an admin's place. */
export default function LinkRulesPage() {
  const translate = useTranslate();
  return (
    <>
      <Heading title={translate('linkRules.title')} />
      <Rules />
      <Delegations />
    </>
  );
}

function Rules() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { data, error } = useReading(['link-settings'], (signal) => api.get(SETTINGS, { signal }));
  const [settings, setSettings] = useState<Settings>();
  const [fourEyes, setFourEyes] = useState('');
  useEffect(() => {
    setSettings(data);
    setFourEyes(data?.fourEyes.map(({ amount, currency }) => `${amount} ${currency}`).join(', ') ?? '');
  }, [data]);
  if (!settings) return <Problem error={error} />;
  const { approvalRequired, requestTtlHours, remindAfterHours } = settings;
  const hours = (name: 'requestTtlHours' | 'remindAfterHours') => ({
    label: translate(`linkRules.${name}`),
    type: 'number',
    value: String(settings[name]),
    onChange: (value: string) => setSettings({ ...settings, [name]: Number(value) }),
  });
  return (
    <Section title={translate('linkRules.rules')}>
      <FormControlLabel
        control={
          <Checkbox
            checked={approvalRequired}
            onChange={(_, isOn) => setSettings({ ...settings, approvalRequired: isOn })}
          />
        }
        label={translate('linkRules.approvalRequired')}
      />
      <Input
        label={translate('linkRules.fourEyes')}
        helperText={translate('linkRules.fourEyesHelp')}
        value={fourEyes}
        onChange={setFourEyes}
      />
      <Input {...hours('requestTtlHours')} />
      <Input {...hours('remindAfterHours')} sx={{ mb: 2 }} />
      <Act
        id="link-rules"
        label={translate('linkRules.set')}
        variant="contained"
        question={translate('linkRules.question')}
        values={{ settings, fourEyes }}
        send={() =>
          api.put(SETTINGS, {
            body: { approvalRequired, requestTtlHours, remindAfterHours, fourEyes: amountsOf(fourEyes) },
          })
        }
        onDone={refresh}
      />
    </Section>
  );
}

/** "1000.00 EUR, 500.00 GBP", as the API wants it. It says what is wrong with an amount. */
function amountsOf(text: string) {
  return text
    .split(',')
    .map((part) => part.trim().split(/\s+/))
    .filter(([amount]) => amount)
    .map(([amount = '', currency = '']) => ({ amount, currency: currency.toUpperCase() }));
}

function Delegations() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const [values, setValues] = useState({ to: '', currency: 'EUR', most: '', endsAt: '' });
  const { data, error } = useReading(['delegations'], (signal) => api.get(DELEGATIONS, { signal }));
  const users = useReading(['users'], (signal) => api.get('/identity/1.0.0/users', { query: { limit: 200 }, signal }));
  const nameOf = (userId: string) => users.data?.data.find((user) => user.userId === userId)?.name ?? userId;
  const title = translate('linkRules.delegations');
  const input = (name: keyof typeof values) => ({
    label: translate(`linkRules.${name}`),
    value: values[name],
    onChange: (value: string) => setValues((now) => ({ ...now, [name]: value })),
    required: true,
  });
  return (
    <Section
      title={title}
      acts={
        <Act
          id="delegate"
          label={translate('linkRules.delegate')}
          question={translate('linkRules.delegateQuestion')}
          values={values}
          send={({ idempotencyKey }) =>
            api.post(DELEGATIONS, {
              body: { ...values, to: values.to.trim(), endsAt: instantOf(values.endsAt) ?? '' },
              idempotencyKey,
            })
          }
          onDone={refresh}
        >
          <Input {...input('to')} helperText={translate('linkRules.toHelp')} />
          <AmountInput {...input('most')} />
          <Input {...input('currency')} />
          <Input {...input('endsAt')} type="datetime-local" />
        </Act>
      }
    >
      <Problem error={error} />
      <Box>
        <PlainTable<Delegation>
          name={title}
          rows={data?.data ?? []}
          keyOf={({ delegationId }) => delegationId}
          columns={[
            { label: 'linkRules.from', of: ({ from }) => nameOf(from) },
            { label: 'linkRules.to', of: ({ to }) => nameOf(to) },
            {
              label: 'linkRules.most',
              of: ({ most, currency }) => <Amount amount={most} currency={currency} />,
              end: true,
            },
            { label: 'linkRules.endsAt', of: ({ endsAt }) => <Instant at={endsAt} /> },
            {
              label: 'linkRules.end',
              of: ({ delegationId, to, most, currency }) => (
                <Act
                  id={`end/${delegationId}`}
                  label={translate('linkRules.end')}
                  question={translate('linkRules.endQuestion', { name: nameOf(to), amount: say(most, currency) })}
                  color="error"
                  send={() => api.delete('/payment-links/1.0.0/delegations/{delegationId}', { path: { delegationId } })}
                  onDone={refresh}
                />
              ),
            },
          ]}
        />
      </Box>
    </Section>
  );
}
