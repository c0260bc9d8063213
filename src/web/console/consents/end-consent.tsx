import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { useAmountText } from '../parts/amount';
import { Input } from '../parts/input';
import { api } from '../server/api';
import { isOpen, type WholeConsent } from './consent';

const MOST_LETTERS = 500;

/** Takes from a third party what the customer has let it do, or what it waits for. */
export function EndConsent({ consent }: { consent: WholeConsent }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const [reason, setReason] = useState('');
  const { consentId, payment, status, tppName: provider } = consent;
  const isWaiting = status === 'AwaitingAuthorisation';
  const question = payment
    ? translate('consents.end.stopPayment', {
        provider,
        amount: say(payment.amount, payment.currency),
        payee: payment.payeeName,
      })
    : translate(isWaiting ? 'consents.end.refuse' : 'consents.end.revoke', { provider });
  return (
    <Act
      id={`end-consent/${consentId}`}
      label={translate('consents.end.act')}
      question={question}
      color="error"
      disabled={!isOpen(consent)}
      values={reason}
      send={({ idempotencyKey }) =>
        api.post('/consents/1.0.0/consents/{consentId}/revoke', {
          path: { consentId },
          body: { reason },
          idempotencyKey,
        })
      }
      outcomeOf={({ status: now }) => ({
        state: 'done',
        text: translate('consents.end.done', { status: translate(`status.${now}`) }),
      })}
      onDone={refresh}
    >
      <Input
        label={translate('console.act.reason')}
        helperText={translate('consents.end.reasonHelp')}
        value={reason}
        onChange={setReason}
        slotProps={{ htmlInput: { maxLength: MOST_LETTERS } }}
        required
        multiline
      />
    </Act>
  );
}
