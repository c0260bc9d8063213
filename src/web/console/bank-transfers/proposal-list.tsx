import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Input } from '../parts/input';
import { type Column, ListPage } from '../parts/list-page';
import { TextLink } from '../parts/text-link';
import { api } from '../server/api';
import type { Proposal } from './transfer';

const COLUMNS: Column<Proposal>[] = [
  {
    label: 'bankTransfers.amount',
    of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
    end: true,
  },
  { label: 'bankTransfers.payerName', of: ({ payerName, payerIban }) => payerName ?? payerIban },
  { label: 'bankTransfers.statements.text', of: ({ text }) => text },
  {
    label: 'bankTransfers.payment',
    of: ({ paymentId }) => paymentId && <TextLink to={`/bank-transfers/${paymentId}/show`}>{paymentId}</TextLink>,
  },
  { label: 'bankTransfers.proposals.why', of: ({ why }) => why },
  { label: 'bankTransfers.statements.bookedOn', of: ({ bookedOn }) => bookedOn, wide: true },
  { label: 'bankTransfers.proposals.decide', of: (proposal) => <Decide proposal={proposal} /> },
];

export default function ProposalList() {
  return <ListPage<Proposal> columns={COLUMNS} to={false} />;
}

function Decide({ proposal }: { proposal: Proposal }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const [reason, setReason] = useState('');
  const { entryId, amount, currency, paymentId = '', needsSecond } = proposal;
  const named = { amount: say(amount, currency), paymentId };
  return (
    <>
      <Act
        id={`confirm/${entryId}`}
        label={translate(needsSecond ? 'bankTransfers.proposals.second' : 'bankTransfers.proposals.confirm')}
        question={translate('bankTransfers.proposals.confirmQuestion', named)}
        send={({ idempotencyKey }) =>
          api.post('/bank-transfer/1.0.0/proposals/{entryId}/confirm', { path: { entryId }, idempotencyKey })
        }
        onDone={refresh}
      />{' '}
      <Act
        id={`reject/${entryId}`}
        label={translate('bankTransfers.proposals.reject')}
        question={translate('bankTransfers.proposals.rejectQuestion', named)}
        color="error"
        values={reason}
        send={({ idempotencyKey }) =>
          api.post('/bank-transfer/1.0.0/proposals/{entryId}/reject', {
            path: { entryId },
            body: { reason },
            idempotencyKey,
          })
        }
        onDone={refresh}
      >
        <Input label={translate('console.act.reason')} value={reason} onChange={setReason} required autoFocus />
      </Act>
    </>
  );
}
