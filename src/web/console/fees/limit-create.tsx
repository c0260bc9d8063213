import { Card, CardContent, Typography } from '@mui/material';
import { useState } from 'react';
import { useRedirect, useTranslate } from 'react-admin';
import { useSearchParams } from 'react-router';
import { Act } from '../parts/act';
import { Heading } from '../parts/heading';
import { AmountInput, ChoiceInput, Input } from '../parts/input';
import { api } from '../server/api';
import { OPERATIONS, type Operation } from './fee';

const NAMES = [
  'customerId',
  'operation',
  'currency',
  'perTransaction',
  'dailyAmount',
  'dailyCount',
  'monthlyAmount',
  'monthlyCount',
] as const;
type Values = Record<(typeof NAMES)[number], string>;

/** The limits of an operation in a currency, all at once, for everybody or for one customer. */
export default function LimitCreate() {
  const translate = useTranslate();
  const redirect = useRedirect();
  const [search] = useSearchParams();
  const [values, setValues] = useState<Values>(() => {
    const defaults: Partial<Values> = { operation: 'p2p', currency: 'EUR' };
    return Object.fromEntries(NAMES.map((name) => [name, search.get(name) ?? defaults[name] ?? ''])) as Values;
  });
  const input = (name: keyof Values) => ({
    label: translate(name === 'operation' || name === 'currency' ? `fees.${name}` : `limits.${name}`),
    value: values[name],
    onChange: (value: string) => setValues((now) => ({ ...now, [name]: value.trim() })),
  });
  const { customerId, operation, currency, perTransaction, dailyAmount, dailyCount, monthlyAmount, monthlyCount } =
    values;
  const count = { inputMode: 'numeric' } as const;
  return (
    <>
      <Heading title={translate('limits.create')} />
      <Card sx={{ maxWidth: 720 }}>
        <CardContent>
          <Typography variant="body2" color="text.secondary">
            {translate('limits.intro')}
          </Typography>
          <ChoiceInput
            {...input('operation')}
            choices={OPERATIONS.map((id) => ({ id, name: translate(`operations.${id}`) }))}
          />
          <Input {...input('currency')} required slotProps={{ htmlInput: { maxLength: 3 } }} />
          <Input {...input('customerId')} helperText={translate('limits.customerIdHelp')} />
          <AmountInput {...input('perTransaction')} />
          <AmountInput {...input('dailyAmount')} />
          <Input {...input('dailyCount')} slotProps={{ htmlInput: count }} />
          <AmountInput {...input('monthlyAmount')} />
          <Input {...input('monthlyCount')} slotProps={{ htmlInput: count }} sx={{ mb: 2 }} />
          <Act
            id={`limits/${operation}/${currency}/${customerId}`}
            label={translate('limits.set')}
            variant="contained"
            question={translate(customerId ? 'limits.questionOne' : 'limits.questionAll', {
              operation: translate(`operations.${operation}`),
              currency,
              customer: customerId,
            })}
            values={values}
            send={() =>
              api.put('/wallet/1.0.0/limits', {
                body: {
                  operation: operation as Operation,
                  currency,
                  ...(customerId && { customerId }),
                  ...(perTransaction && { perTransaction }),
                  ...(dailyAmount && { dailyAmount }),
                  ...(dailyCount && { dailyCount: Number(dailyCount) }),
                  ...(monthlyAmount && { monthlyAmount }),
                  ...(monthlyCount && { monthlyCount: Number(monthlyCount) }),
                },
              })
            }
            onDone={() => redirect('/limits')}
          />
        </CardContent>
      </Card>
    </>
  );
}
