import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { useNavigate } from 'react-router';
import { FormPage } from '../parts/form-page';
import { Input } from '../parts/input';
import { emptyLine, LinesInput, sentLines } from '../parts/lines-input';
import { api } from '../server/api';

export default function OrderCreate() {
  const translate = useTranslate();
  const navigate = useNavigate();
  const [currency, setCurrency] = useState('EUR');
  const [reference, setReference] = useState('');
  const [lines, setLines] = useState(() => [emptyLine()]);
  const body = { currency, lines: sentLines(lines), ...(reference && { reference }) };
  return (
    <FormPage
      title={translate('orders.add')}
      id="create/order"
      label={translate('orders.save')}
      intro={translate('orders.addIntro')}
      values={body}
      send={({ idempotencyKey }) => api.post('/orders/1.0.0/orders', { body: body as never, idempotencyKey })}
      onDone={({ orderId }) => navigate(`/orders/${orderId}/show`)}
    >
      <Input label={translate('orders.currency')} value={currency} onChange={setCurrency} required />
      <Input label={translate('orders.reference')} value={reference} onChange={setReference} />
      <LinesInput lines={lines} currency={currency} onChange={setLines} />
    </FormPage>
  );
}
