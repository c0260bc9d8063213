import { Box, Button } from '@mui/material';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslate } from 'react-admin';
import { Amount } from '../parts/amount';
import { AmountInput } from '../parts/input';
import { PlainTable } from '../parts/plain-table';
import { Problem, problemText } from '../parts/problem';
import { type Answer, ApiError, api } from '../server/api';
import { currentScope } from '../session/scope';
import { type FeeText, termsOf } from './fee';

type Quote = Answer<'/wallet/1.0.0/quote', 'post'>;

/** What an amount costs now, and by the new fee. Either may be refused: the fee may leave nothing. */
interface Line {
  amount: string;
  now: Quote | ApiError;
  then: Quote | ApiError;
}

const QUOTE = '/wallet/1.0.0/quote';
const FIRST_AMOUNTS = '10.00 100.00 1000.00';
/** Nobody wants a question for each letter. */
const PAUSE_MS = 400;
const MOST_AMOUNTS = 8;

/** What amounts of the reader's choice cost now and would cost. Asks the API: nothing is computed here. */
export function Preview({ values }: { values: FeeText }) {
  const translate = useTranslate();
  const [amounts, setAmounts] = useState(FIRST_AMOUNTS);
  const asked = usePaused(JSON.stringify({ values: { ...values, from: '' }, amounts }));
  const { data, error, refetch } = useQuery({
    queryKey: ['fee-preview', asked, currentScope()],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const given = JSON.parse(asked) as { values: FeeText; amounts: string };
      const wanted = given.amounts
        .split(/[\s;]+/)
        .filter(Boolean)
        .slice(0, MOST_AMOUNTS);
      return Promise.all(wanted.map((amount) => line(given.values, amount, signal)));
    },
  });
  const { currency } = values;
  return (
    <>
      <AmountInput
        label={translate('fees.amounts')}
        helperText={translate('fees.amountsHelp')}
        value={amounts}
        onChange={setAmounts}
      />
      <Problem error={error} />
      <Box aria-live="polite">
        <PlainTable<Line>
          name={translate('fees.preview')}
          rows={data ?? []}
          keyOf={({ amount }) => amount}
          columns={[
            { label: 'fees.amount', of: ({ amount }) => amount, end: true },
            { label: 'fees.feeNow', of: ({ now }) => <Said quote={now} of="fee" currency={currency} />, end: true },
            { label: 'fees.feeThen', of: ({ then }) => <Said quote={then} of="fee" currency={currency} />, end: true },
            { label: 'fees.leaves', of: ({ then }) => <Said quote={then} of="total" currency={currency} />, end: true },
            { label: 'fees.arrives', of: ({ then }) => <Said quote={then} of="net" currency={currency} />, end: true },
          ]}
        />
      </Box>
      {error && <Button onClick={() => void refetch()}>{translate('console.act.askAgain')}</Button>}
    </>
  );
}

function Said({ quote, of, currency }: { quote: Quote | ApiError; of: 'fee' | 'total' | 'net'; currency: string }) {
  const translate = useTranslate();
  if (!(quote instanceof ApiError)) return <Amount amount={quote[of]} currency={currency} />;
  // Once in a line is enough.
  return of === 'fee' ? problemText(quote, translate) : null;
}

async function line(values: FeeText, amount: string, signal: AbortSignal): Promise<Line> {
  const { operation, currency } = values;
  const quote = (proposed?: ReturnType<typeof termsOf>) =>
    api.post(QUOTE, { body: { operation, currency, amount, ...(proposed && { proposed }) }, signal }).catch(refusal);
  const [now, then] = await Promise.all([quote(), quote(termsOf(values))]);
  return { amount, now, then };
}

/** What the API refuses is a part of the answer; a lost answer is none. */
function refusal(error: unknown): ApiError {
  if (error instanceof ApiError && !error.lost) return error;
  throw error;
}

/** A value once it has not changed for a moment. */
function usePaused<T>(value: T): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const later = setTimeout(() => settle(value), PAUSE_MS);
    return () => clearTimeout(later);
  }, [value]);
  return settled;
}
