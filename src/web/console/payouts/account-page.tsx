import { Alert, Typography } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePermissions, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Fact, Facts, Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { Problem } from '../parts/problem';
import { Status, type Tone } from '../parts/status';
import { type Answer, api } from '../server/api';
import { useScope } from '../session/scope';
import type { Person } from '../session/session';

type Accounts = Answer<'/payouts/1.0.0/account'>;
type Account = Accounts['history'][number];

const TONES: Record<Account['status'], Tone> = { unverified: 'waiting', verified: 'good', blocked: 'bad' };

/** Where payouts go: the seller names its account, the tenant verifies or blocks it. */
export default function AccountPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const { organizationId } = useScope();
  const client = useQueryClient();
  const isAdmin = person?.role === 'tenant_admin';
  const key = ['payout-account', organizationId];
  const { data, error } = useQuery({
    queryKey: key,
    enabled: organizationId !== undefined && person !== undefined,
    queryFn: ({ signal }): Promise<Accounts> =>
      isAdmin
        ? api.get('/payouts/1.0.0/accounts/{organizationId}', { path: { organizationId: organizationId! }, signal })
        : api.get('/payouts/1.0.0/account', { signal }),
  });
  const again = () => void client.invalidateQueries({ queryKey: key });
  const latest = data?.history[0];
  return (
    <>
      <Heading
        title={translate('payouts.account.title')}
        acts={
          isAdmin ? (
            latest && <Oversee organizationId={organizationId!} account={latest} onDone={again} />
          ) : (
            <Change onDone={again} />
          )
        }
      />
      {!organizationId && <Alert severity="info">{translate('console.scope.chooseOrganization')}</Alert>}
      <Problem error={error} />
      {data && !data.inEffect && (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {translate('payouts.account.none')}
        </Alert>
      )}
      {data?.history.map((account) => (
        <Section
          key={account.accountId}
          title={account.holder}
          acts={<Status value={`account_${account.status}`} tone={TONES[account.status]} />}
        >
          {account.accountId === data.inEffect?.accountId && (
            <Typography>{translate('payouts.account.inEffect')}</Typography>
          )}
          <Facts>
            <Fact name="IBAN">{account.iban}</Fact>
            <Fact name="BIC">{account.bic}</Fact>
            <Fact name={translate('payouts.account.effectiveFrom')}>
              <Instant at={account.effectiveFrom} />
            </Fact>
            <Fact name={translate('payouts.account.verifiedAt')}>
              {account.verifiedAt && <Instant at={account.verifiedAt} />}
            </Fact>
          </Facts>
        </Section>
      ))}
    </>
  );
}

function Change({ onDone }: { onDone(): void }) {
  const translate = useTranslate();
  const [holder, setHolder] = useState('');
  const [iban, setIban] = useState('');
  const [bic, setBic] = useState('');
  const body = { holder, iban, ...(bic && { bic }) };
  return (
    <Act
      id="change/payout-account"
      label={translate('payouts.account.change')}
      question={translate('payouts.account.changeQuestion')}
      variant="contained"
      values={body}
      send={() => api.put('/payouts/1.0.0/account', { body })}
      onDone={onDone}
    >
      <Input label={translate('payouts.account.holder')} value={holder} onChange={setHolder} required autoFocus />
      <Input label="IBAN" value={iban} onChange={setIban} required />
      <Input label="BIC" value={bic} onChange={setBic} />
    </Act>
  );
}

interface OverseeProps {
  organizationId: string;
  account: Account;
  onDone(): void;
}

function Oversee({ organizationId, account: { accountId, holder, iban, status }, onDone }: OverseeProps) {
  const translate = useTranslate();
  const [reason, setReason] = useState('');
  return (
    <>
      {status === 'unverified' && (
        <Act
          id={`verify/${accountId}`}
          label={translate('payouts.account.verify')}
          question={translate('payouts.account.verifyQuestion', { holder, iban })}
          variant="contained"
          send={({ idempotencyKey }) =>
            api.post('/payouts/1.0.0/accounts/{organizationId}/verify', {
              path: { organizationId },
              body: { accountId },
              idempotencyKey,
            })
          }
          onDone={onDone}
        />
      )}
      {status !== 'blocked' && (
        <Act
          id={`block/${accountId}`}
          label={translate('payouts.account.block')}
          question={translate('payouts.account.blockQuestion', { holder })}
          color="error"
          values={reason}
          send={({ idempotencyKey }) =>
            api.post('/payouts/1.0.0/accounts/{organizationId}/block', {
              path: { organizationId },
              body: { reason },
              idempotencyKey,
            })
          }
          onDone={onDone}
        >
          <Input label={translate('console.act.reason')} value={reason} onChange={setReason} required autoFocus />
        </Act>
      )}
    </>
  );
}
