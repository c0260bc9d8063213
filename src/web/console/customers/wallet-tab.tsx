import { Box } from '@mui/material';
import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { Amount } from '../parts/amount';
import { CsvButton } from '../parts/csv-button';
import { Copyable, Section } from '../parts/facts';
import { ChoiceInput, Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { PlainTable } from '../parts/plain-table';
import { PrintButton } from '../parts/print-button';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { type Answer, addressOf, api, type RecordOf } from '../server/api';
import { type Card, CardActs } from './card-acts';
import type { Customer } from './customer';

type Balance = RecordOf<'/wallet/1.0.0/customers/{customerId}/balances'>;
type Limit = RecordOf<'/wallet/1.0.0/customers/{customerId}/limits'>;
type Entry = Answer<'/wallet/1.0.0/customers/{customerId}/statement'>['entries'][number];

const STATEMENT = '/wallet/1.0.0/customers/{customerId}/statement';
const ENTRIES = 50;

/** What the customer has here, what moved, how much more may move. */
export function WalletTab({ customer: { customerId }, canChange }: { customer: Customer; canChange: boolean }) {
  const translate = useTranslate();
  const path = { customerId };
  const balances = useReading(['balances', customerId], (signal) =>
    api.get('/wallet/1.0.0/customers/{customerId}/balances', { path, signal }),
  );
  const limits = useReading(['customer-limits', customerId], (signal) =>
    api.get('/wallet/1.0.0/customers/{customerId}/limits', { path, signal }),
  );
  const cards = useReading(['cards', customerId], (signal) =>
    api.get('/customer/1.0.0/{customerId}/paymentMethods', { path, signal }),
  );
  const currencies = balances.data?.data.map(({ currency }) => currency) ?? [];
  return (
    <>
      <Section title={translate('customers.balances')}>
        <Problem error={balances.error} />
        <PlainTable<Balance>
          name={translate('customers.balances')}
          rows={balances.data?.data ?? []}
          keyOf={({ currency }) => currency}
          columns={[
            { label: 'customers.currency', of: ({ currency }) => currency },
            { label: 'customers.available', of: (row) => <Money row={row} of="available" />, end: true },
            { label: 'customers.held', of: (row) => <Money row={row} of="held" />, end: true },
            { label: 'customers.owed', of: (row) => <Money row={row} of="owed" />, end: true },
            { label: 'customers.iban', of: ({ iban }) => iban && <Copyable text={iban} /> },
          ]}
        />
      </Section>
      {currencies.length > 0 && <Statement customerId={customerId} currencies={currencies} />}
      <Section title={translate('customers.limits')}>
        <Problem error={limits.error} />
        <PlainTable<Limit>
          name={translate('customers.limits')}
          rows={limits.data?.data ?? []}
          keyOf={({ operation, currency }) => `${operation} ${currency}`}
          columns={[
            { label: 'customers.operation', of: ({ operation }) => translate(`operations.${operation}`) },
            {
              label: 'customers.perTransaction',
              of: ({ perTransaction, currency }) => <Amount amount={perTransaction} currency={currency} />,
              end: true,
            },
            { label: 'customers.today', of: (row) => <Used row={row} span="daily" />, end: true },
            { label: 'customers.thisMonth', of: (row) => <Used row={row} span="monthly" />, end: true },
          ]}
        />
      </Section>
      <Section title={translate('customers.cards')}>
        <Problem error={cards.error} />
        <PlainTable<Card>
          name={translate('customers.cards')}
          rows={cards.data?.data ?? []}
          keyOf={({ paymentMethodId }) => paymentMethodId}
          columns={[
            {
              label: 'customers.card',
              of: ({ paymentBrand, card }) => `${paymentBrand} ${card.bin}••••${card.last4Digits}`,
            },
            { label: 'customers.holder', of: ({ card }) => card.holder },
            { label: 'customers.expires', of: ({ card }) => `${card.expiryMonth}/${card.expiryYear}` },
            {
              label: 'customers.isDefault',
              of: ({ isDefault }) => translate(isDefault ? 'ra.boolean.true' : 'ra.boolean.false'),
            },
            { label: 'customers.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
            ...(canChange
              ? [{ label: 'customers.acts', of: (card: Card) => <CardActs customerId={customerId} card={card} /> }]
              : []),
          ]}
        />
      </Section>
    </>
  );
}

function Money({ row, of }: { row: Balance; of: 'available' | 'held' | 'owed' }) {
  return <Amount amount={row[of]} currency={row.currency} />;
}

/** How much of a limit is used, or how much moved where there is none. */
function Used({ row, span }: { row: Limit; span: 'daily' | 'monthly' }) {
  const translate = useTranslate();
  const { currency, used } = row;
  const [most, mostCount] = [row[`${span}Amount`], row[`${span}Count`]];
  return (
    <>
      <Amount amount={used[`${span}Amount`]} currency={currency} />
      {most !== undefined && (
        <>
          {' / '}
          <Amount amount={most} currency={currency} />
        </>
      )}
      <br />
      {translate('customers.times', {
        count: mostCount === undefined ? used[`${span}Count`] : `${used[`${span}Count`]} / ${mostCount}`,
      })}
    </>
  );
}

/** A month of a wallet, as the customer reads it; all of it as CSV. */
function Statement({ customerId, currencies }: { customerId: string; currencies: readonly string[] }) {
  const translate = useTranslate();
  const [currency, setCurrency] = useState(currencies[0]!);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const path = { customerId };
  const window = {
    currency,
    ...(from && { from: `${from}T00:00:00.000Z` }),
    ...(to && { to: `${to}T00:00:00.000Z` }),
  };
  const { data, error } = useReading(['statement', customerId, window], (signal) =>
    api.get(STATEMENT, { path, query: { ...window, limit: ENTRIES }, signal }),
  );
  return (
    <Section
      title={translate('customers.statement')}
      acts={
        <>
          <PrintButton path={STATEMENT} params={path} query={window} name={`statement-${customerId}-${currency}`} />
          <CsvButton path={addressOf(STATEMENT, path)} query={window} name={`statement-${customerId}-${currency}`} />
        </>
      }
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <Box sx={{ width: 120 }}>
          <ChoiceInput
            label={translate('customers.currency')}
            value={currency}
            onChange={setCurrency}
            choices={currencies.map((id) => ({ id, name: id }))}
          />
        </Box>
        <Box sx={{ width: 170 }}>
          <Input label={translate('customers.from')} type="date" value={from} onChange={setFrom} />
        </Box>
        <Box sx={{ width: 170 }}>
          <Input label={translate('customers.until')} type="date" value={to} onChange={setTo} />
        </Box>
      </Box>
      <Problem error={error} />
      {data && (
        <>
          <p>
            {translate('customers.opening')} <Amount amount={data.openingBalance} currency={currency} />
          </p>
          <PlainTable<Entry>
            name={translate('customers.statement')}
            rows={data.entries}
            keyOf={({ entryId }) => entryId}
            columns={[
              { label: 'customers.booked', of: ({ bookedAt }) => <Instant at={bookedAt} /> },
              { label: 'customers.type', of: ({ type }) => translate(`customers.entries.${type}`) },
              { label: 'customers.reference', of: ({ reference }) => <code>{reference}</code> },
              {
                label: 'customers.amount',
                of: ({ amount }) => <Amount amount={amount} currency={currency} />,
                end: true,
              },
            ]}
          />
          <p>
            {translate('customers.closing')} <Amount amount={data.closingBalance} currency={currency} />
          </p>
          {data.nextCursor && translate('customers.moreInCsv', { count: ENTRIES })}
        </>
      )}
    </Section>
  );
}
