import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount } from '../parts/amount';
import { Fact, Facts, Section } from '../parts/facts';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { Status } from '../parts/status';
import { SubList } from '../parts/sub-list';
import { TextLink } from '../parts/text-link';
import { ApiError, api } from '../server/api';
import type { Customer } from './customer';

/** What the customer paid, sent, ordered to be sent and lets third parties do, and whom it may send to. */
export function ActivityTab({ customer, canChange }: { customer: Customer; canChange: boolean }) {
  const translate = useTranslate();
  const { customerId } = customer;
  const params = { customerId };
  return (
    <>
      <SubList
        title={translate('customers.transactions')}
        name={`transactions-${customerId}`}
        path="/customer/1.0.0/{customerId}/transactions"
        params={params}
        keyOf={(row) => ('transferId' in row ? row.transferId : row.paymentId)}
        columns={[
          { label: 'customers.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
          { label: 'customers.kind', of: (row) => <What row={row} /> },
          {
            label: 'customers.amount',
            of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
            end: true,
          },
          {
            label: 'customers.status',
            of: (row) => <Status value={'transferId' in row ? row.status : row.transactionStatus} />,
          },
        ]}
      />
      <Membership customer={customer} canChange={canChange} />
      <SubList
        title={translate('customers.standingOrders')}
        name={`standing-orders-${customerId}`}
        path="/wallet/1.0.0/customers/{customerId}/standing-orders"
        params={params}
        keyOf={({ standingOrderId }) => standingOrderId}
        columns={[
          { label: 'customers.recipient', of: ({ recipient }) => recipient },
          {
            label: 'customers.amount',
            of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
            end: true,
          },
          { label: 'customers.frequency', of: ({ frequency }) => translate(`frequencies.${frequency}`) },
          { label: 'customers.next', of: ({ nextAt }) => <Instant at={nextAt} /> },
          { label: 'customers.status', of: ({ status }) => <Status value={status} /> },
        ]}
      />
      <SubList
        title={translate('customers.consents')}
        name={`consents-${customerId}`}
        path="/consents/1.0.0/consents"
        params={{}}
        query={params}
        keyOf={({ consentId }) => consentId}
        columns={[
          {
            label: 'consents.provider',
            of: ({ consentId, tppName }) => <TextLink to={`/consents/${consentId}/show`}>{tppName}</TextLink>,
          },
          { label: 'consents.kind', of: ({ kind }) => translate(`consents.kinds.${kind}`) },
          { label: 'customers.status', of: ({ status }) => <Status value={status} /> },
          { label: 'consents.expires', of: ({ expiresAt }) => <Instant at={expiresAt} /> },
          { label: 'customers.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
        ]}
      />
      <SubList
        title={translate('customers.beneficiaries')}
        name={`beneficiaries-${customerId}`}
        path="/wallet/1.0.0/customers/{customerId}/beneficiaries"
        params={params}
        keyOf={({ beneficiaryId }) => beneficiaryId}
        columns={[
          { label: 'customers.name', of: ({ name }) => name },
          { label: 'customers.recipient', of: ({ recipient }) => recipient },
          { label: 'customers.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
        ]}
      />
    </>
  );
}

type Transaction = { type: string; transferId?: string; topupId?: string; paymentId?: string; direction?: string };

/** What a transaction was, with the way to its page. */
function What({ row }: { row: object }) {
  const translate = useTranslate();
  const { type, transferId, topupId, direction } = row as Transaction;
  const text = translate(`customers.kinds.${direction ?? type}`);
  const to = transferId ? `/transfers/${transferId}/show` : topupId ? `/topups/${topupId}/show` : undefined;
  if (!to) return text;
  return <TextLink to={to}>{text}</TextLink>;
}

/** How others send money to the customer, and whether that is allowed. */
function Membership({ customer: { customerId, customerName }, canChange }: { customer: Customer; canChange: boolean }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [reason, setReason] = useState('');
  const path = { customerId };
  const { data, error } = useReading(['p2p-member', customerId], (signal) =>
    api.get('/p2p/1.0.0/customers/{customerId}', { path, signal }).catch((thrown) => {
      if (thrown instanceof ApiError && thrown.status === 404) return null;
      throw thrown;
    }),
  );
  const title = translate('customers.p2p.title');
  if (data === null) return <Section title={title}>{translate('customers.p2p.notEnrolled')}</Section>;
  if (!data) return <Problem error={error} />;
  const act = data.status === 'active' ? 'suspend' : 'resume';
  return (
    <Section
      title={title}
      acts={
        <>
          <Status value={data.status} tone={data.status === 'active' ? 'good' : 'bad'} />
          {canChange && (
            <Act
              id={`p2p-${act}/${customerId}`}
              label={translate(`customers.p2p.${act}`)}
              question={translate(`customers.p2p.${act}Question`, { name: customerName })}
              values={reason}
              send={({ idempotencyKey }) =>
                act === 'suspend'
                  ? api.post('/p2p/1.0.0/customers/{customerId}/suspend', {
                      path,
                      body: { ...(reason && { reason }) },
                      idempotencyKey,
                    })
                  : api.post('/p2p/1.0.0/customers/{customerId}/resume', { path, idempotencyKey })
              }
              onDone={refresh}
            >
              {act === 'suspend' && (
                <Input label={translate('console.act.reason')} value={reason} onChange={setReason} multiline />
              )}
            </Act>
          )}
        </>
      }
    >
      <Facts>
        <Fact name={translate('customers.p2p.aliases')}>{data.aliases.map(({ alias }) => alias).join(', ')}</Fact>
        <Fact name={translate('customers.p2p.acceptEach')}>
          {translate(data.acceptEach ? 'ra.boolean.true' : 'ra.boolean.false')}
        </Fact>
        <Fact name={translate('customers.p2p.since')}>
          <Instant at={data.enrolledAt} />
        </Fact>
        <Fact name={translate('customers.p2p.reason')}>{data.suspensionReason}</Fact>
      </Facts>
    </Section>
  );
}
