import { TextField } from '@mui/material';
import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { Timeline } from '../parts/timeline';
import { api } from '../server/api';
import { type Payment, STATUS_TONES } from './payment';

const MOVING = ['initiated', 'pending', 'requires_action'];

export default function PaymentPage() {
  const translate = useTranslate();
  return (
    <RecordPage<Payment>
      titleOf={({ amount, currency }) => <Amount amount={amount} currency={currency} />}
      markOf={({ transactionStatus }) => <Status value={transactionStatus} tone={STATUS_TONES[transactionStatus]} />}
      actsOf={(payment) => <Refund payment={payment} />}
    >
      {(payment) => (
        <>
          <Section title={translate('payments.facts')}>
            <Facts>
              <Fact name={translate('console.record.id')}>
                <Copyable text={payment.paymentId} />
              </Fact>
              <Fact name={translate('payments.merchantTransactionId')}>{payment.merchantTransactionId}</Fact>
              <Fact name={translate('payments.result')}>{payment.status.detail}</Fact>
              <Fact name={translate('payments.created')}>
                <Instant at={payment.createdAt} />
              </Fact>
            </Facts>
          </Section>
          <PaymentTimeline payment={payment} />
        </>
      )}
    </RecordPage>
  );
}

function PaymentTimeline({ payment: { paymentId, transactionStatus } }: { payment: Payment }) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['payment-events', paymentId],
    (signal) => api.get('/ipg/1.0.0/payment/payments/{paymentId}/events', { path: { paymentId }, signal }),
    () => !MOVING.includes(transactionStatus),
  );
  return (
    <Section title={translate('payments.timeline')}>
      <Problem error={error} />
      <Timeline
        steps={(data?.data ?? []).map(({ at, to, detail }) => ({
          at,
          what: <Status value={to} tone={STATUS_TONES[to]} />,
          detail,
        }))}
      />
    </Section>
  );
}

function Refund({ payment: { paymentId, amount: whole, currency } }: { payment: Payment }) {
  const translate = useTranslate();
  const say = useAmountText();
  const [amount, setAmount] = useState(whole);
  return (
    <Act
      id={`refund/${paymentId}`}
      label={translate('payments.refund.act')}
      question={translate('payments.refund.question', { amount: `${amount} ${currency}` })}
      values={amount}
      send={({ idempotencyKey }) =>
        api.post('/ipg/1.0.0/payment/payments/{paymentId}/refund', {
          path: { paymentId },
          body: { amount },
          idempotencyKey,
        })
      }
      outcomeOf={() => ({ state: 'done', text: translate('payments.refund.done', { amount: say(amount, currency) }) })}
    >
      <TextField
        label={translate('payments.refund.amount')}
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        slotProps={{ htmlInput: { inputMode: 'decimal' } }}
        fullWidth
        margin="dense"
      />
    </Act>
  );
}
