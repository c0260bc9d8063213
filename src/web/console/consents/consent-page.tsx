import { Box } from '@mui/material';
import { usePermissions, useTranslate } from 'react-admin';
import { Amount } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { PlainTable } from '../parts/plain-table';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { SubList } from '../parts/sub-list';
import { TextLink } from '../parts/text-link';
import { Timeline } from '../parts/timeline';
import { WorkflowLink } from '../parts/workflow-link';
import type { Person } from '../session/session';
import { CONSENT_TONES, KIND_NAMES, type WholeConsent } from './consent';
import { EndConsent } from './end-consent';

interface Shown {
  consent: WholeConsent;
}

/** One consent: who may do what, until when, and what was done with it. */
export default function ConsentPage() {
  const { permissions: person } = usePermissions<Person>();
  return (
    <RecordPage<WholeConsent>
      titleOf={({ tppName }) => tppName}
      markOf={({ status }) => <Status value={status} tone={CONSENT_TONES[status]} />}
      // Operators look; what is ended is the tenant's.
      actsOf={(consent) => person?.role === 'tenant_admin' && <EndConsent consent={consent} />}
    >
      {(consent) => (
        <>
          <About consent={consent} isOperator={person?.role === 'ops'} />
          {consent.kind === 'account' && <Permissions consent={consent} />}
          {/* Until the answer is there, the page shows what the list knew: neither accounts nor history. */}
          {consent.accounts && <Accounts consent={consent} />}
          {consent.events && <History consent={consent} />}
          <Accesses consent={consent} />
        </>
      )}
    </RecordPage>
  );
}

function About({ consent, isOperator }: Shown & { isOperator: boolean }) {
  const translate = useTranslate();
  const { consentId, customerId, kind, payment, statusDetail, tppId } = consent;
  return (
    <Section title={translate('consents.facts')}>
      <Facts>
        <Fact name={translate('console.record.id')}>
          <Copyable text={consentId} />
        </Fact>
        <Fact name={translate('consents.kind')}>{translate(KIND_NAMES[kind])}</Fact>
        <Fact name={translate('consents.detail')}>{statusDetail}</Fact>
        <Fact name={translate('consents.payment.amount')}>
          {payment && <Amount amount={payment.amount} currency={payment.currency} />}
        </Fact>
        <Fact name={translate('consents.payment.payee')}>
          {payment && (
            <>
              {payment.payeeName}
              <br />
              <Copyable text={payment.payeeIban} />
            </>
          )}
        </Fact>
        <Fact name={translate('consents.payment.note')}>{payment?.note}</Fact>
        <Fact name={translate('consents.payment.executeAt')}>
          {payment?.executeAt && <Instant at={payment.executeAt} />}
        </Fact>
        <Fact name={translate('consents.providerId')}>
          <Copyable text={tppId} />
        </Fact>
        <Fact name={translate('consents.customer')}>
          {customerId && <TextLink to={`/customers/${customerId}/show`}>{customerId}</TextLink>}
        </Fact>
        {DATES.map((name) => (
          <Fact key={name} name={translate(`consents.dates.${name}`)}>
            {consent[name] && <Instant at={consent[name]} />}
          </Fact>
        ))}
        {isOperator && (
          <Fact name={translate('consents.workflow')}>
            <WorkflowLink workflowId={`consent/${consentId}`} />
          </Fact>
        )}
      </Facts>
    </Section>
  );
}

const DATES = [
  'sharingFrom',
  'sharingTo',
  'authorisedAt',
  'authenticatedAt',
  'authenticateBy',
  'expiresAt',
  'createdAt',
] as const;

function Permissions({ consent: { permissions } }: Shown) {
  const translate = useTranslate();
  return (
    <Section title={translate('consents.permissions.title')}>
      <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
        {permissions.map((name) => (
          // A permission that has no words here is shown by the name that the standard gives it.
          <li key={name}>{translate(`consents.permissions.${name}`, { _: name })}</li>
        ))}
      </Box>
    </Section>
  );
}

function Accounts({ consent: { accounts } }: Shown) {
  const translate = useTranslate();
  const title = translate('consents.accounts');
  return (
    <Section title={title}>
      <PlainTable<WholeConsent['accounts'][number]>
        name={title}
        rows={accounts}
        keyOf={({ iban }) => iban}
        columns={[
          { label: 'consents.iban', of: ({ iban }) => <Copyable text={iban} /> },
          { label: 'consents.currency', of: ({ currency }) => currency },
        ]}
      />
    </Section>
  );
}

function History({ consent: { customerId, events, tppId, tppName } }: Shown) {
  const translate = useTranslate();
  const names: Record<string, string | undefined> = {
    platform: translate('consents.platform'),
    [tppId]: tppName,
    ...(customerId && { [customerId]: translate('consents.theCustomer') }),
  };
  return (
    <Section title={translate('consents.history')}>
      <Timeline
        steps={events.map(({ actor, at, cause, detail, ibans }) => ({
          at,
          what: translate(`consents.causes.${cause}`, { _: cause }),
          detail: (
            <>
              <div>{detail}</div>
              <div>{translate('consents.by', { actor: names[actor] ?? actor })}</div>
              {ibans && <div>{ibans.join(', ')}</div>}
            </>
          ),
        }))}
      />
    </Section>
  );
}

function Accesses({ consent: { consentId } }: Shown) {
  const translate = useTranslate();
  return (
    <SubList
      title={translate('consents.accesses.title')}
      name={`accesses-${consentId}`}
      path="/consents/1.0.0/consents/{consentId}/accesses"
      params={{ consentId }}
      keyOf={({ accessId }) => accessId}
      columns={[
        { label: 'consents.accesses.at', of: ({ at }) => <Instant at={at} /> },
        {
          label: 'consents.accesses.resource',
          of: ({ resource }) => translate(`consents.resources.${resource}`, { _: resource }),
        },
        { label: 'consents.iban', of: ({ iban }) => iban },
        {
          label: 'consents.accesses.customerPresent',
          of: ({ customerPresent }) => translate(customerPresent ? 'ra.boolean.true' : 'ra.boolean.false'),
        },
        {
          label: 'consents.accesses.answer',
          of: ({ refusal }) =>
            refusal ? (
              <Status value="refused" label={translate('consents.accesses.refused', { code: refusal })} tone="bad" />
            ) : (
              <Status value="answered" label={translate('consents.accesses.answered')} tone="good" />
            ),
        },
        { label: 'consents.accesses.interaction', of: ({ interactionId }) => interactionId },
      ]}
    />
  );
}
