import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { PlainTable } from '../parts/plain-table';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { SubList } from '../parts/sub-list';
import { TextLink } from '../parts/text-link';
import { api } from '../server/api';
import type { Person } from '../session/session';
import {
  ACCOUNT_TONES,
  ACTIVATION_TONES,
  type Account,
  MODE_TONES,
  type Organization,
  STATE_TONES,
} from './organization';

export default function OrganizationPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  return (
    <RecordPage<Organization>
      titleOf={({ businessName }) => businessName}
      markOf={({ state, mode }) => (
        <>
          <Status value={state} tone={STATE_TONES[state]} />
          <Status value={mode} tone={MODE_TONES[mode]} />
        </>
      )}
      actsOf={(organization) => <Invite organization={organization} />}
    >
      {(organization) => {
        const { organizationId, technicalContact } = organization;
        return (
          <>
            <Section title={translate('organizations.facts')}>
              <Facts>
                <Fact name={translate('console.record.id')}>
                  <Copyable text={organizationId} />
                </Fact>
                <Fact name={translate('organizations.country')}>{organization.country}</Fact>
                <Fact name={translate('organizations.currencies')}>{organization.currencies.join(', ')}</Fact>
                <Fact name={translate('organizations.account')}>
                  <Copyable text={organization.merchantAccountId} />
                </Fact>
                <Fact name={translate('organizations.terminal')}>
                  <Copyable text={organization.terminalId} />
                </Fact>
                <Fact name={translate('organizations.contact')}>
                  {technicalContact &&
                    [technicalContact.name, technicalContact.email, technicalContact.phone].filter(Boolean).join(', ')}
                </Fact>
                <Fact name={translate('organizations.invitationUntil')}>
                  {organization.invitationExpiresAt && <Instant at={organization.invitationExpiresAt} />}
                </Fact>
                <Fact name={translate('organizations.created')}>
                  <Instant at={organization.createdAt} />
                </Fact>
              </Facts>
            </Section>
            {person?.role === 'tenant_admin' && <PayoutAccounts organizationId={organizationId} />}
            <SubList
              title={translate('organizations.people')}
              name={`people-${organizationId}`}
              path="/identity/1.0.0/users"
              params={{}}
              query={{ organizationId }}
              keyOf={({ userId }) => userId}
              columns={[
                { label: 'organizations.contactName', of: ({ name }) => name },
                { label: 'organizations.contactEmail', of: ({ email }) => email },
                { label: 'organizations.state', of: ({ state }) => <Status value={state} /> },
              ]}
            />
            <SubList
              title={translate('organizations.activations')}
              name={`activations-${organizationId}`}
              path="/onboarding/1.0.0/activations"
              params={{}}
              query={{ organizationId }}
              keyOf={({ activationId }) => activationId}
              columns={[
                {
                  label: 'organizations.number',
                  of: ({ activationId, number }) => (
                    <TextLink to={`/activations/${activationId}/show`}>
                      {translate('organizations.application', { number })}
                    </TextLink>
                  ),
                },
                {
                  label: 'organizations.state',
                  of: ({ status }) => <Status value={status} tone={ACTIVATION_TONES[status]} />,
                },
                { label: 'organizations.reason', of: ({ reason }) => reason },
                { label: 'organizations.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
              ]}
            />
          </>
        );
      }}
    </RecordPage>
  );
}

function Invite({ organization: { organizationId, state, technicalContact } }: { organization: Organization }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  return (
    <Act
      id={`invite/${organizationId}`}
      label={translate('organizations.invite')}
      question={translate('organizations.inviteQuestion', { email: technicalContact?.email ?? '' })}
      disabled={state !== 'invited'}
      send={({ idempotencyKey }) =>
        api.post('/onboarding/1.0.0/merchants/{organizationId}/invitations', {
          path: { organizationId },
          idempotencyKey,
        })
      }
      onDone={refresh}
    />
  );
}

/** Where payouts go, and whether the tenant has made sure whose account it is. */
function PayoutAccounts({ organizationId }: { organizationId: string }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const path = { organizationId };
  const { data, error } = useReading(['payout-accounts', organizationId], (signal) =>
    api.get('/payouts/1.0.0/accounts/{organizationId}', { path, signal }),
  );
  const title = translate('organizations.payoutAccounts');
  const latest = data?.history[0];
  return (
    <Section
      title={title}
      acts={
        latest && (
          <>
            <Act
              id={`verify/${latest.accountId}`}
              label={translate('organizations.verify')}
              question={translate('organizations.verifyQuestion', { iban: latest.iban, holder: latest.holder })}
              disabled={latest.status !== 'unverified'}
              send={({ idempotencyKey }) =>
                api.post('/payouts/1.0.0/accounts/{organizationId}/verify', {
                  path,
                  body: { accountId: latest.accountId },
                  idempotencyKey,
                })
              }
              onDone={refresh}
            />
            <Act
              id={`block/${organizationId}`}
              label={translate('organizations.block')}
              question={translate('organizations.blockQuestion')}
              color="error"
              disabled={latest.status === 'blocked'}
              send={({ idempotencyKey }) =>
                api.post('/payouts/1.0.0/accounts/{organizationId}/block', { path, idempotencyKey })
              }
              onDone={refresh}
            />
          </>
        )
      }
    >
      <Problem error={error} />
      <PlainTable<Account>
        name={title}
        rows={data?.history ?? []}
        keyOf={({ accountId }) => accountId}
        columns={[
          { label: 'organizations.holder', of: ({ holder }) => holder },
          { label: 'organizations.iban', of: ({ iban }) => iban },
          { label: 'organizations.state', of: ({ status }) => <Status value={status} tone={ACCOUNT_TONES[status]} /> },
          { label: 'organizations.from', of: ({ effectiveFrom }) => <Instant at={effectiveFrom} /> },
        ]}
      />
    </Section>
  );
}
