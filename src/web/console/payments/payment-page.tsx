import { Box, Link as PlainLink, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { useAuthenticationText } from '../parts/authentication';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { useLive } from '../parts/live';
import { PrintButton } from '../parts/print-button';
import { Problem } from '../parts/problem';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { Timeline } from '../parts/timeline';
import { api } from '../server/api';
import { PaymentActs } from './acts';
import { MOVING, OPERATION_TONES, type Payment, STATUS_TONES } from './payment';

const BASE = '/ipg/1.0.0/payment/payments/{paymentId}';

export default function PaymentPage() {
  return (
    <RecordPage<Payment>
      titleOf={({ amount, currency }) => <Amount amount={amount} currency={currency} />}
      markOf={({ transactionStatus }) => <Status value={transactionStatus} tone={STATUS_TONES[transactionStatus]} />}
    >
      {(payment) => (
        <>
          <PaymentActs payment={payment} />
          <PaymentFacts payment={payment} />
          <PaymentTimeline payment={payment} />
          <Attempts payment={payment} />
          <Entries payment={payment} />
          <Reports payment={payment} />
          <Notifications payment={payment} />
        </>
      )}
    </RecordPage>
  );
}

interface Shown {
  payment: Payment;
}

function PaymentFacts({ payment }: Shown) {
  const translate = useTranslate();
  const authenticationText = useAuthenticationText();
  const { card, amounts, currency } = payment;
  const money = (amount: string) => /[1-9]/.test(amount) && <Amount amount={amount} currency={currency} />;
  return (
    <Section
      title={translate('payments.facts')}
      acts={
        /[1-9]/.test(amounts.captured) && (
          <PrintButton
            path={`${BASE}/receipt`}
            params={{ paymentId: payment.paymentId }}
            name={`receipt-${payment.paymentId}`}
          />
        )
      }
    >
      <Facts>
        <Fact name={translate('console.record.id')}>
          <Copyable text={payment.paymentId} />
        </Fact>
        <Fact name={translate('payments.merchantTransactionId')}>{payment.merchantTransactionId}</Fact>
        <Fact name={translate('payments.result')}>
          {payment.result.code}: {payment.status.detail}
        </Fact>
        <Fact name={translate('payments.amounts.authorized')}>{money(amounts.authorized)}</Fact>
        <Fact name={translate('payments.amounts.captured')}>{money(amounts.captured)}</Fact>
        <Fact name={translate('payments.amounts.refunded')}>{money(amounts.refunded)}</Fact>
        <Fact name={translate('payments.amounts.chargedBack')}>{money(amounts.chargedBack)}</Fact>
        <Fact name={translate('payments.method')}>
          {card ? `${payment.paymentBrand} ${card.bin}… ${card.last4Digits}` : payment.paymentBrand}
        </Fact>
        <Fact name={translate('console.authentication.name')}>{authenticationText(payment.authentication)}</Fact>
        <Fact name={translate('payments.payer')}>
          {[payment.firstName, payment.lastName].filter(Boolean).join(' ') || card?.holder}
        </Fact>
        <Fact name={translate('payments.processor')}>{payment.processor}</Fact>
        <Fact name={translate('payments.orderId')}>{payment.orderId}</Fact>
        <Fact name={translate('payments.linkId')}>{payment.linkId}</Fact>
        <Fact name={translate('payments.descriptor')}>{payment.descriptor}</Fact>
        <Fact name={translate('payments.created')}>
          <Instant at={payment.createdAt} />
        </Fact>
      </Facts>
    </Section>
  );
}

function PaymentTimeline({ payment: { paymentId, transactionStatus } }: Shown) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['payment-events', paymentId],
    (signal) => api.get(`${BASE}/events`, { path: { paymentId }, signal }),
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

function Attempts({ payment: { paymentId } }: Shown) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['payment-attempts', paymentId],
    (signal) => api.get(`${BASE}/attempts`, { path: { paymentId }, signal }),
    () => true,
  );
  return (
    <Section title={translate('payments.attempts')}>
      <Problem error={error} />
      {data?.data.map(({ number, processor, status, detail, processorReference, operations }) => (
        <Box key={processor} sx={{ mb: 1 }}>
          <Typography component="h3" variant="subtitle2">
            {translate('payments.attempt', { number, processor })} <Status value={status} />
          </Typography>
          <Typography variant="body2">{detail}</Typography>
          {processorReference && <Copyable text={processorReference} />}
          {operations.map((operation) => (
            <Line
              key={operation.operationId ?? operation.kind}
              what={translate(`payments.operations.${operation.kind}`)}
              detail={operation.detail}
              at={operation.updatedAt}
            >
              <Amount amount={operation.amount} currency={operation.currency} />{' '}
              <Status value={operation.status} tone={OPERATION_TONES[operation.status]} />
            </Line>
          ))}
        </Box>
      ))}
    </Section>
  );
}

function Entries({ payment: { paymentId } }: Shown) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['payment-entries', paymentId],
    (signal) => api.get(`${BASE}/entries`, { path: { paymentId }, signal }),
    () => true,
  );
  return (
    <Section title={translate('payments.entries')}>
      <Problem error={error} />
      {data?.data.length === 0 && <None />}
      {data?.data.map(({ entryId, meaning, effect, amount, currency, bookedAt }) => (
        <Line key={entryId} what={translate(`payments.effects.${effect}`)} detail={meaning} at={bookedAt}>
          <Amount amount={amount} currency={currency} />
        </Line>
      ))}
    </Section>
  );
}

function Reports({ payment: { paymentId } }: Shown) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['payment-callbacks', paymentId],
    (signal) => api.get(`${BASE}/callbacks`, { path: { paymentId }, signal }),
    () => true,
  );
  return (
    <Section title={translate('payments.callbacks')}>
      <Problem error={error} />
      {data?.data.length === 0 && <None />}
      {data?.data.map(({ callbackId, type, processor, note, state, receivedAt }) => (
        <Line
          key={callbackId}
          what={translate('payments.told', { processor, type: type.replaceAll('_', ' ') })}
          detail={note}
          at={receivedAt}
        >
          <Status value={state} />
        </Line>
      ))}
    </Section>
  );
}

function Notifications({ payment: { paymentId } }: Shown) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['payment-notifications', paymentId],
    (signal) => api.get('/ipg/1.0.0/payment/notifications', { query: { paymentId }, signal }),
    ({ data: rows }) => rows.every(({ state }) => state !== 'pending'),
  );
  return (
    <Section title={translate('payments.notifications')}>
      <Problem error={error} />
      {data?.data.length === 0 && <None />}
      {data?.data.map(({ notificationId, type, url, state, createdAt }) => (
        <Line
          key={notificationId}
          what={
            <PlainLink component={Link} to={`/notifications/${notificationId}/show`}>
              {type}
            </PlainLink>
          }
          detail={url}
          at={createdAt}
        >
          <Status value={state} />
        </Line>
      ))}
    </Section>
  );
}

function None() {
  const translate = useTranslate();
  return <Typography variant="body2">{translate('console.record.nothing')}</Typography>;
}

/** What happened, what about it, when, and on the right how much or in which state. */
function Line({ what, detail, at, children }: { what: ReactNode; detail?: string; at: string; children: ReactNode }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, py: 0.75, borderTop: 1, borderColor: 'divider' }}>
      <Box sx={{ flex: '1 1 14rem', minWidth: 0, overflowWrap: 'anywhere' }}>
        <Typography variant="body2" component="div" sx={{ fontWeight: 600 }}>
          {what}
        </Typography>
        {detail && <Typography variant="body2">{detail}</Typography>}
        <Typography variant="caption" color="text.secondary">
          <Instant at={at} />
        </Typography>
      </Box>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>{children}</Box>
    </Box>
  );
}
