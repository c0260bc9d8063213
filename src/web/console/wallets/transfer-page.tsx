import { useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { Timeline } from '../parts/timeline';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { ToCustomer } from './to-customer';
import { TRANSFER_TONES, type Transfer } from './wallet';

export default function TransferPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  return (
    <RecordPage<Transfer>
      titleOf={({ amount, currency }) => <Amount amount={amount} currency={currency} />}
      markOf={({ status }) => <Status value={status} tone={TRANSFER_TONES[status]} />}
      actsOf={(transfer) => person?.role === 'tenant_admin' && <Reverse transfer={transfer} />}
    >
      {(transfer) => {
        const { currency } = transfer;
        return (
          <>
            <Section title={translate('wallets.transfer')}>
              <Facts>
                <Fact name={translate('console.record.id')}>
                  <Copyable text={transfer.transferId} />
                </Fact>
                <Fact name={translate('wallets.sender')}>
                  <ToCustomer id={transfer.senderId} />
                </Fact>
                <Fact name={translate('wallets.recipient')}>
                  <ToCustomer id={transfer.recipientId} text={transfer.recipient} />
                </Fact>
                <Fact name={translate('wallets.fee')}>
                  <Amount amount={transfer.fee} currency={currency} />{' '}
                  {translate(`wallets.paidBy.${transfer.feePayer}`)}
                </Fact>
                <Fact name={translate('wallets.net')}>
                  <Amount amount={transfer.netAmount} currency={currency} />
                </Fact>
                <Fact name={translate('wallets.note')}>{transfer.note}</Fact>
                <Fact name={translate('wallets.result')}>{transfer.statusDetail}</Fact>
                <Fact name={translate('wallets.expires')}>
                  {transfer.expiresAt && <Instant at={transfer.expiresAt} />}
                </Fact>
                <Fact name={translate('wallets.schedule')}>
                  {transfer.scheduleId && <Copyable text={transfer.scheduleId} />}
                </Fact>
                <Fact name={translate('wallets.created')}>
                  <Instant at={transfer.createdAt} />
                </Fact>
              </Facts>
            </Section>
            <Steps transfer={transfer} />
          </>
        );
      }}
    </RecordPage>
  );
}

function Steps({ transfer: { transferId, status } }: { transfer: Transfer }) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['transfer-events', transferId, status],
    (signal) => api.get('/p2p/1.0.0/transfers/{transferId}/events', { path: { transferId }, signal }),
    () => status !== 'held',
  );
  return (
    <Section title={translate('wallets.timeline')}>
      <Problem error={error} />
      <Timeline
        steps={(data?.data ?? []).map(({ at, to, detail }) => ({
          at,
          what: <Status value={to} tone={TRANSFER_TONES[to]} />,
          detail,
        }))}
      />
    </Section>
  );
}

function Reverse({ transfer }: { transfer: Transfer }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const [reason, setReason] = useState('');
  const { transferId, amount, currency, senderId, recipient, status } = transfer;
  const text = { amount: say(amount, currency), sender: senderId, recipient };
  return (
    <Act
      id={`reverse/${transferId}`}
      label={translate('wallets.reverse.act')}
      question={translate('wallets.reverse.question', text)}
      color="error"
      disabled={status !== 'settled'}
      values={reason}
      send={({ idempotencyKey }) =>
        api.post('/p2p/1.0.0/transfers/{transferId}/reverse', {
          path: { transferId },
          body: { ...(reason && { reason }) },
          idempotencyKey,
        })
      }
      outcomeOf={({ status: now, statusDetail }) =>
        now === 'reversed'
          ? { state: 'done', text: translate('wallets.reverse.done', text) }
          : { state: 'refused', text: statusDetail }
      }
      onDone={refresh}
    >
      <Input
        label={translate('console.act.reason')}
        helperText={translate('console.act.reasonHelp')}
        value={reason}
        onChange={setReason}
        multiline
      />
    </Act>
  );
}
