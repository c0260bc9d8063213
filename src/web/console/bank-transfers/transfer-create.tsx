import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { useNavigate } from 'react-router';
import { FormPage } from '../parts/form-page';
import { AmountInput, Input, instantOf } from '../parts/input';
import { api } from '../server/api';

export default function TransferCreate() {
  const translate = useTranslate();
  const navigate = useNavigate();
  const [fields, setFields] = useState({
    merchantTransactionId: '',
    amount: '',
    currency: 'EUR',
    payerName: '',
    orderId: '',
    expiresAt: '',
  });
  const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value });
  const { merchantTransactionId, amount, currency, payerName, orderId, expiresAt } = fields;
  const body = {
    merchantTransactionId,
    amount,
    currency,
    ...(payerName && { payerName }),
    ...(orderId && { orderId }),
    ...(expiresAt && { expiresAt: instantOf(expiresAt) }),
  };
  return (
    <FormPage
      title={translate('bankTransfers.add')}
      id="create/bank-transfer"
      label={translate('bankTransfers.save')}
      intro={translate('bankTransfers.addIntro')}
      values={body}
      send={({ idempotencyKey }) => api.post('/bank-transfer/1.0.0/transfers', { body, idempotencyKey })}
      onDone={({ paymentId }) => navigate(`/bank-transfers/${paymentId}/show`)}
    >
      <Input
        label={translate('bankTransfers.id')}
        value={merchantTransactionId}
        onChange={set('merchantTransactionId')}
        required
        autoFocus
      />
      <AmountInput label={translate('bankTransfers.amount')} value={amount} onChange={set('amount')} required />
      <Input label={translate('bankTransfers.currency')} value={currency} onChange={set('currency')} required />
      <Input
        label={translate('bankTransfers.payerName')}
        helperText={translate('bankTransfers.payerNameHelp')}
        value={payerName}
        onChange={set('payerName')}
      />
      <Input label={translate('bankTransfers.orderId')} value={orderId} onChange={set('orderId')} />
      <Input
        label={translate('bankTransfers.expires')}
        value={expiresAt}
        onChange={set('expiresAt')}
        type="datetime-local"
      />
    </FormPage>
  );
}
