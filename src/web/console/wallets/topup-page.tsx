import { useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { useAuthenticationText } from '../parts/authentication';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { AmountInput, Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { useLive } from '../parts/live';
import { PlainTable } from '../parts/plain-table';
import { Problem } from '../parts/problem';
import { RecordPage } from '../parts/record-page';
import { Status, type Tone } from '../parts/status';
import { Timeline } from '../parts/timeline';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { ToCustomer } from './to-customer';
import { TOPUP_TONES, type Topup } from './wallet';

type Refund = NonNullable<Topup['refunds']>[number];
const REFUND_TONES: Record<Refund['status'], Tone> = { pending: 'moving', succeeded: 'good', declined: 'bad' };
const MOVING: readonly Topup['status'][] = ['initiated', 'pending', 'awaiting_3ds', 'authorized'];
const REFUNDABLE: readonly Topup['status'][] = ['captured', 'settled', 'partially_refunded'];

export default function TopupPage() {
  const translate = useTranslate();
  const authenticationText = useAuthenticationText();
  const { permissions: person } = usePermissions<Person>();
  return (
    <RecordPage<Topup>
      titleOf={({ amount, currency }) => <Amount amount={amount} currency={currency} />}
      markOf={({ status }) => <Status value={status} tone={TOPUP_TONES[status]} />}
      actsOf={(topup) => person?.role === 'tenant_admin' && <Acts topup={topup} />}
    >
      {(topup) => {
        const { currency, amounts, card, refunds = [] } = topup;
        return (
          <>
            <Section title={translate('wallets.topup')}>
              <Facts>
                <Fact name={translate('console.record.id')}>
                  <Copyable text={topup.topupId} />
                </Fact>
                <Fact name={translate('wallets.customer')}>
                  <ToCustomer id={topup.customerId} />
                </Fact>
                <Fact name={translate('wallets.result')}>{topup.detail}</Fact>
                <Fact name={translate('wallets.fee')}>
                  <Amount amount={topup.fee} currency={currency} />
                </Fact>
                <Fact name={translate('wallets.net')}>
                  <Amount amount={topup.netAmount} currency={currency} />
                </Fact>
                <Fact name={translate('wallets.captured')}>
                  <Amount amount={amounts.captured} currency={currency} />
                </Fact>
                <Fact name={translate('wallets.refunded')}>
                  <Amount amount={amounts.refunded} currency={currency} />
                </Fact>
                <Fact name={translate('wallets.card')}>
                  {`${topup.paymentBrand} ${card.bin}••••${card.last4Digits}, ${card.holder}`}
                </Fact>
                <Fact name={translate('console.authentication.name')}>{authenticationText(topup.authentication)}</Fact>
                <Fact name={translate('wallets.payment')}>
                  <Copyable text={topup.paymentId} />
                </Fact>
                <Fact name={translate('wallets.created')}>
                  <Instant at={topup.createdAt} />
                </Fact>
              </Facts>
            </Section>
            {refunds.length > 0 && (
              <Section title={translate('wallets.refunds')}>
                <PlainTable<Refund>
                  name={translate('wallets.refunds')}
                  rows={refunds}
                  keyOf={({ refundId }) => refundId}
                  columns={[
                    {
                      label: 'wallets.amount',
                      of: ({ amount }) => <Amount amount={amount} currency={currency} />,
                      end: true,
                    },
                    {
                      label: 'wallets.status',
                      of: ({ status }) => <Status value={status} tone={REFUND_TONES[status]} />,
                    },
                    {
                      label: 'wallets.result',
                      of: ({ detail, reason }) => [detail, reason].filter(Boolean).join('. '),
                    },
                    { label: 'wallets.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
                  ]}
                />
              </Section>
            )}
            <Steps topup={topup} />
          </>
        );
      }}
    </RecordPage>
  );
}

function Steps({ topup: { paymentId, organizationId, status } }: { topup: Topup }) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['topup-events', paymentId, status],
    (signal) =>
      api.get('/ipg/1.0.0/payment/payments/{paymentId}/events', {
        path: { paymentId },
        // The money comes to an account of the platform, not to the organization that was chosen at the top.
        headers: { organizationId },
        signal,
      }),
    () => !MOVING.includes(status),
  );
  return (
    <Section title={translate('wallets.timeline')}>
      <Problem error={error} />
      <Timeline steps={(data?.data ?? []).map(({ at, to, detail }) => ({ at, what: <Status value={to} />, detail }))} />
    </Section>
  );
}

function Acts({ topup }: { topup: Topup }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const { topupId, amount: whole, currency, status, customerId } = topup;
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const path = { topupId };
  const text = { amount: say(whole, currency), customer: customerId };
  const isAuthorized = status === 'authorized';
  const read = (signal: AbortSignal) => api.get('/wallet/1.0.0/topups/{topupId}', { path, signal });
  const done = ({ status: now }: Topup) =>
    MOVING.includes(now) && now !== 'authorized'
      ? ({ state: 'pending' } as const)
      : ({ state: 'done', text: translate('wallets.done', { status: translate(`status.${now}`) }) } as const);
  const refunded = ({ refund, refunds = [] }: Topup) => {
    const last = refund ?? refunds[0];
    if (last?.status === 'declined') return { state: 'refused' as const, text: last.detail };
    if (last?.status === 'pending') return { state: 'pending' as const };
    return { state: 'done' as const, text: translate('wallets.refund.done') };
  };
  return (
    <>
      <Act
        id={`capture/${topupId}`}
        label={translate('wallets.capture.act')}
        question={translate('wallets.capture.question', text)}
        disabled={!isAuthorized}
        send={({ idempotencyKey }) =>
          api.post('/wallet/1.0.0/topups/{topupId}/capture', { path, body: {}, idempotencyKey })
        }
        outcomeOf={done}
        poll={read}
        onDone={refresh}
      />
      <Act
        id={`cancel/${topupId}`}
        label={translate('wallets.cancel.act')}
        question={translate('wallets.cancel.question', text)}
        color="error"
        disabled={!isAuthorized && status !== 'awaiting_3ds'}
        send={({ idempotencyKey }) => api.post('/wallet/1.0.0/topups/{topupId}/cancel', { path, idempotencyKey })}
        outcomeOf={done}
        poll={read}
        onDone={refresh}
      />
      <Act
        id={`refund/${topupId}`}
        label={translate('wallets.refund.act')}
        question={translate('wallets.refund.question', text)}
        color="error"
        disabled={!REFUNDABLE.includes(status)}
        values={{ amount, reason }}
        send={({ idempotencyKey }) =>
          api.post('/wallet/1.0.0/topups/{topupId}/refund', {
            path,
            body: { ...(amount && { amount }), ...(reason && { reason }) },
            idempotencyKey,
          })
        }
        outcomeOf={refunded}
        poll={read}
        onDone={refresh}
      >
        <AmountInput
          label={translate('wallets.refund.amount', { currency })}
          helperText={translate('wallets.refund.amountHelp')}
          value={amount}
          onChange={setAmount}
        />
        <Input label={translate('console.act.reason')} value={reason} onChange={setReason} multiline />
      </Act>
    </>
  );
}
