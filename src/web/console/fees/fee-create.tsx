import { Box, Card, CardContent, Typography } from '@mui/material';
import { useState } from 'react';
import { useRedirect, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { useAmountText } from '../parts/amount';
import { Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { AmountInput, ChoiceInput, Input, instantOf } from '../parts/input';
import { api } from '../server/api';
import { type FeeText, OPERATIONS, termsOf } from './fee';
import { Preview } from './preview';

const NOTHING: FeeText = {
  operation: 'p2p',
  currency: 'EUR',
  fixed: '',
  basisPoints: '',
  minimum: '',
  maximum: '',
  payer: 'sender',
  from: '',
};

/** A new version of a fee, and what it would charge. The API computes both by the function that charges. */
export default function FeeCreate() {
  const translate = useTranslate();
  const redirect = useRedirect();
  const say = useAmountText();
  const [values, setValues] = useState(NOTHING);
  const { operation, currency, from } = values;
  const input = (name: keyof FeeText) => ({
    label: translate(`fees.${name === 'from' ? 'fromLocal' : name}`),
    value: values[name],
    onChange: (value: string) => setValues((now) => ({ ...now, [name]: value })),
  });
  const what = { operation: translate(`operations.${operation}`), currency };
  return (
    <>
      <Heading title={translate('fees.create')} />
      <Box
        sx={{
          display: 'grid',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) minmax(0, 2fr)' },
          gap: 2,
        }}
      >
        <Card>
          <CardContent>
            <Typography variant="body2" color="text.secondary">
              {translate('fees.intro')}
            </Typography>
            <ChoiceInput
              {...input('operation')}
              choices={OPERATIONS.map((id) => ({ id, name: translate(`operations.${id}`) }))}
            />
            <Input {...input('currency')} required slotProps={{ htmlInput: { maxLength: 3 } }} />
            <AmountInput {...input('fixed')} />
            <Input
              {...input('basisPoints')}
              helperText={translate('fees.basisPointsHelp')}
              slotProps={{ htmlInput: { inputMode: 'numeric' } }}
            />
            <AmountInput {...input('minimum')} />
            <AmountInput {...input('maximum')} />
            <ChoiceInput
              {...input('payer')}
              disabled={operation === 'topup'}
              helperText={operation === 'topup' ? translate('fees.topupPayer') : undefined}
              choices={['sender', 'recipient'].map((id) => ({ id, name: translate(`fees.payers.${id}`) }))}
            />
            <Input {...input('from')} type="datetime-local" helperText={translate('fees.fromHelp')} />
            <Box sx={{ mt: 2 }}>
              <Act
                id={`fee/${operation}/${currency}`}
                label={translate('fees.set')}
                variant="contained"
                question={translate(from ? 'fees.questionLater' : 'fees.questionNow', what)}
                values={values}
                send={() => {
                  const effectiveFrom = instantOf(from);
                  return api.put('/wallet/1.0.0/fees', {
                    body: { operation, currency, ...termsOf(values), ...(effectiveFrom && { effectiveFrom }) },
                  });
                }}
                outcomeOf={({ fixed, basisPoints }) => ({
                  state: 'done',
                  text: translate('fees.done', { ...what, fixed: say(fixed, currency), basisPoints }),
                })}
                onDone={() => redirect('/fees')}
              />
            </Box>
          </CardContent>
        </Card>
        <Section title={translate('fees.preview')}>
          <Preview values={values} />
        </Section>
      </Box>
    </>
  );
}
