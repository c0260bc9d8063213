import { Autocomplete, Box, FormControlLabel, Switch, TextField } from '@mui/material';
import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { useNavigate, useSearchParams } from 'react-router';
import { FormPage } from '../parts/form-page';
import { AmountInput, ChoiceInput, Input, instantOf } from '../parts/input';
import { emptyLine, LinesInput, sentLines } from '../parts/lines-input';
import { api, type BodyOf } from '../server/api';

type Body = BodyOf<'/payment-links/1.0.0/links', 'post'>;
type Kind = NonNullable<Body['kinds']>[number];

const ASKS = ['lines', 'amount', 'span', 'order', 'topup'] as const;
type Ask = (typeof ASKS)[number];
/** The compiler wants every kind that the API has. */
const KINDS = Object.keys({
  card: 0,
  upi: 0,
  qr: 0,
  bank_transfer: 0,
  direct_debit: 0,
  apm: 0,
  hosted_page: 0,
  crypto: 0,
} satisfies Record<Kind, 0>) as Kind[];

export default function LinkCreate() {
  const translate = useTranslate();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const [ask, setAsk] = useState<Ask>(search.has('orderId') ? 'order' : 'lines');
  const [fields, setFields] = useState({
    title: '',
    description: '',
    reference: '',
    orderId: search.get('orderId') ?? '',
    customerId: '',
    currency: 'EUR',
    amount: '',
    min: '',
    max: '',
    expiresAt: '',
    maxPayments: '',
  });
  const [lines, setLines] = useState(() => [emptyLine()]);
  const [kinds, setKinds] = useState<Kind[]>([]);
  const [needsApproval, setNeedsApproval] = useState(false);
  const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value });
  const { title, description, reference, orderId, customerId, currency, amount, min, max, maxPayments } = fields;
  const asked = {
    order: { orderId },
    lines: { currency, lines: sentLines(lines) },
    amount: { currency, amount },
    span: { currency, amount: { min, max } },
    topup: { currency, amount, purpose: 'topup', customerId },
  }[ask];
  const body = {
    ...asked,
    title,
    ...(description && { description }),
    ...(reference && { reference }),
    ...(fields.expiresAt && { expiresAt: instantOf(fields.expiresAt) }),
    ...(maxPayments && ask !== 'order' && { maxPayments: Number(maxPayments) }),
    ...(kinds.length > 0 && ask !== 'topup' && { kinds }),
    ...(needsApproval && { approval: 'required' }),
  } as Body;
  return (
    <FormPage
      title={translate('links.add')}
      id="create/link"
      label={translate('links.save')}
      values={body}
      send={({ idempotencyKey }) => api.post('/payment-links/1.0.0/links', { body, idempotencyKey })}
      onDone={({ linkId }) => navigate(`/links/${linkId}/show`)}
    >
      <Input
        label={translate('links.title')}
        helperText={translate('links.titleHelp')}
        value={title}
        onChange={set('title')}
        required
        autoFocus
      />
      <ChoiceInput
        label={translate('links.asks')}
        value={ask}
        onChange={(value) => setAsk(value as Ask)}
        choices={ASKS.map((id) => ({ id, name: translate(`links.ask.${id}`) }))}
      />
      {ask === 'order' ? (
        <Input label={translate('links.orderId')} value={orderId} onChange={set('orderId')} required />
      ) : (
        <Input label={translate('links.currency')} value={currency} onChange={set('currency')} required />
      )}
      {ask === 'lines' && <LinesInput lines={lines} currency={currency} onChange={setLines} />}
      {(ask === 'amount' || ask === 'topup') && (
        <AmountInput label={translate('links.amount')} value={amount} onChange={set('amount')} required />
      )}
      {ask === 'span' && (
        <Box sx={{ display: 'flex', gap: 2 }}>
          <AmountInput label={translate('links.min')} value={min} onChange={set('min')} required />
          <AmountInput label={translate('links.max')} value={max} onChange={set('max')} required />
        </Box>
      )}
      {ask === 'topup' && (
        <Input label={translate('links.customerId')} value={customerId} onChange={set('customerId')} required />
      )}
      <Input
        label={translate('links.description')}
        value={description}
        onChange={set('description')}
        multiline
        minRows={2}
      />
      <Input label={translate('links.reference')} value={reference} onChange={set('reference')} />
      <Input
        label={translate('links.expires')}
        helperText={translate('links.expiresHelp')}
        value={fields.expiresAt}
        onChange={set('expiresAt')}
        type="datetime-local"
      />
      {ask !== 'order' && (
        <Input
          label={translate('links.maxPayments')}
          helperText={translate('links.maxPaymentsHelp')}
          value={maxPayments}
          onChange={set('maxPayments')}
          type="number"
          slotProps={{ htmlInput: { min: 1 } }}
        />
      )}
      {ask !== 'topup' && (
        <Autocomplete
          multiple
          options={KINDS}
          value={kinds}
          onChange={(_event, chosen) => setKinds(chosen)}
          getOptionLabel={(kind) => translate(`links.kind.${kind}`)}
          renderInput={(params) => (
            <TextField
              {...params}
              label={translate('links.kinds')}
              helperText={translate('links.kindsHelp')}
              margin="dense"
            />
          )}
        />
      )}
      <FormControlLabel
        control={<Switch checked={needsApproval} onChange={(_event, checked) => setNeedsApproval(checked)} />}
        label={translate('links.needsApproval')}
      />
    </FormPage>
  );
}
