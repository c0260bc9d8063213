import { Box, TextField, Typography } from '@mui/material';
import { useRef, useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import type { Asked, Outcome } from '../parts/act-sending';
import { useAmountText } from '../parts/amount';
import { Section } from '../parts/facts';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { api, type RecordOf } from '../server/api';
import type { Person } from '../session/session';
import { MOVING, type Payment, payerOf } from './payment';

type Possible = RecordOf<'/ipg/1.0.0/payment/payments/{paymentId}/acts'>;

/** What became of an act, as far as it is known. */
interface Became {
  state: Outcome['state'];
  detail?: string;
}

const BASE = '/ipg/1.0.0/payment/payments/{paymentId}';

/** What may be done with a payment now, and why not where it may not. */
export function PaymentActs({ payment }: { payment: Payment }) {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const { paymentId } = payment;
  const { data, error } = useLive(
    ['payment-acts', paymentId],
    (signal) => api.get(`${BASE}/acts`, { path: { paymentId }, signal }),
    () => true,
  );
  // Operators act elsewhere, with a reason.
  if (person?.role === 'ops') return null;
  return (
    <Section title={translate('payments.acts.title')}>
      <Problem error={error} />
      {data?.data.map((possible) => (
        <Box key={possible.act} sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', mb: 1 }}>
          <PaymentAct payment={payment} possible={possible} />
          <Typography variant="body2" color="text.secondary">
            {possible.allowed ? translate(`payments.${possible.act}.means`) : possible.reason}
          </Typography>
        </Box>
      ))}
    </Section>
  );
}

function PaymentAct({ payment, possible }: { payment: Payment; possible: Possible }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const { paymentId, currency } = payment;
  const { act, allowed, maxAmount } = possible;
  const [typed, setTyped] = useState<string>();
  const refundId = useRef<string>(undefined);
  const amount = typed ?? maxAmount ?? payment.amount;
  const text = { amount: isAmount(amount) ? say(amount, currency) : amount, payer: payerOf(payment) };
  const path = { paymentId };
  const status = async (signal?: AbortSignal) => (await api.get(`${BASE}/status-by-payment-id`, { path, signal })).data;

  const send = async ({ idempotencyKey }: Asked): Promise<Became> => {
    if (act === 'cancel') return cancelled((await api.post(`${BASE}/cancel`, { path, idempotencyKey })).data);
    const body = { amount };
    if (act === 'capture') return captured((await api.post(`${BASE}/capture`, { path, body, idempotencyKey })).data);
    const { data } = await api.post(`${BASE}/refund`, { path, body, idempotencyKey });
    refundId.current = data.refund?.refundId;
    return refunded(data.refund);
  };
  const poll = async (signal: AbortSignal): Promise<Became> => {
    if (act === 'cancel') return cancelled(await status(signal));
    if (act === 'capture') return captured(await status(signal));
    const { data } = await api.get(`${BASE}/refunds`, { path, signal });
    return refunded(data.find((refund) => refund.refundId === refundId.current));
  };
  const outcomeOf = ({ state, detail }: Became): Outcome => ({
    state,
    text:
      state === 'refused'
        ? translate('console.act.refused', { reason: detail })
        : translate(`payments.${act}.done`, text),
  });

  return (
    <Act
      id={`${act}/${paymentId}`}
      label={translate(`payments.${act}.act`)}
      question={translate(`payments.${act}.question`, text)}
      values={act === 'cancel' ? null : amount}
      send={send}
      poll={poll}
      outcomeOf={outcomeOf}
      onDone={() => refresh()}
      disabled={!allowed}
      color={act === 'capture' ? 'primary' : 'error'}
    >
      {act === 'cancel' ? undefined : (
        <TextField
          label={translate(`payments.${act}.amount`, { currency })}
          value={amount}
          onChange={({ target }) => setTyped(target.value.trim())}
          helperText={maxAmount && translate('payments.acts.most', { amount: say(maxAmount, currency) })}
          slotProps={{ htmlInput: { inputMode: 'decimal' } }}
          fullWidth
          margin="normal"
        />
      )}
    </Act>
  );
}

function isAmount(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

function refunded(refund: { status: string; detail: string } | undefined): Became {
  if (!refund || refund.status === 'pending') return { state: 'pending' };
  return { state: refund.status === 'succeeded' ? 'done' : 'refused', detail: refund.detail };
}

function captured({ transactionStatus, status }: Payment): Became {
  if (transactionStatus === 'authorized') return { state: 'pending' };
  const isEnded = ['cancelled', 'expired', 'failed'].includes(transactionStatus);
  return { state: isEnded ? 'refused' : 'done', detail: status.detail };
}

function cancelled({ transactionStatus, status }: Payment): Became {
  if (transactionStatus === 'cancelled') return { state: 'done' };
  const isRunning = transactionStatus === 'authorized' || MOVING.includes(transactionStatus);
  return { state: isRunning ? 'pending' : 'refused', detail: status.detail };
}
