import EditIcon from '@mui/icons-material/EditOutlined';
import { Button } from '@mui/material';
import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Act } from '../parts/act';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { PlainTable } from '../parts/plain-table';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { SubList } from '../parts/sub-list';
import { TextLink } from '../parts/text-link';
import { api } from '../server/api';
import { UNSCOPED } from '../session/scope';
import { type Key, type ThirdParty, useTenants } from './third-party';
import { CertificateInput } from './third-party-create';
import { State } from './third-party-list';

interface Shown {
  tpp: ThirdParty;
}

/** One third-party provider: whom it serves, how we know it, and who did what about it. */
export default function ThirdPartyPage() {
  const translate = useTranslate();
  return (
    <RecordPage<ThirdParty>
      titleOf={({ name }) => name}
      markOf={({ status }) => <State of={status} />}
      actsOf={(tpp) => (
        <>
          <Button
            size="small"
            variant="outlined"
            component={Link}
            to={`/third-parties/${tpp.tppId}`}
            startIcon={<EditIcon />}
          >
            {translate('thirdParties.edit')}
          </Button>
          <Switch tpp={tpp} />
        </>
      )}
    >
      {(tpp) => (
        <>
          <About tpp={tpp} />
          <Certificate tpp={tpp} />
          <Keys tpp={tpp} />
          <History tpp={tpp} />
        </>
      )}
    </RecordPage>
  );
}

function About({ tpp }: Shown) {
  const translate = useTranslate();
  const { names } = useTenants();
  const consents = `/consents?filter=${encodeURIComponent(JSON.stringify({ tppId: tpp.tppId }))}`;
  return (
    <Section title={translate('thirdParties.facts')}>
      <Facts>
        <Fact name={translate('thirdParties.tppId')}>
          <Copyable text={tpp.tppId} />
        </Fact>
        <Fact name={translate('thirdParties.tenants')}>
          {tpp.tenantIds.map((id) => (
            <div key={id}>{names.get(id) ?? id}</div>
          ))}
        </Fact>
        <Fact name={translate('thirdParties.profile')}>
          {translate(`thirdParties.profiles.${tpp.profile}`)}
          <br />
          {translate(`thirdParties.profileHelp.${tpp.profile}`)}
        </Fact>
        <Fact name={translate('thirdParties.redirectUris')}>
          {tpp.redirectUris.map((uri) => (
            <div key={uri}>
              <Copyable text={uri} />
            </div>
          ))}
        </Fact>
        <Fact name={translate('thirdParties.consents')}>
          <TextLink to={consents}>{translate('thirdParties.consentsOfTenant')}</TextLink>
        </Fact>
        <Fact name={translate('thirdParties.created')}>
          <Instant at={tpp.createdAt} />
        </Fact>
        <Fact name={translate('thirdParties.updated')}>
          <Instant at={tpp.updatedAt} />
        </Fact>
      </Facts>
    </Section>
  );
}

function Certificate({ tpp }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [certificate, setCertificate] = useState('');
  const { tppId, name, certificateExpiresAt } = tpp;
  const isOver = Date.parse(certificateExpiresAt) < Date.now();
  return (
    <Section
      title={translate('thirdParties.certificate')}
      acts={
        <Act
          id={`third-parties/certificate/${tppId}`}
          label={translate('thirdParties.newCertificate.act')}
          question={translate('thirdParties.newCertificate.question', { name })}
          values={certificate}
          send={({ idempotencyKey }) =>
            api.post('/onboarding/1.0.0/tpps/{tppId}/certificate', {
              path: { tppId },
              body: { certificate },
              idempotencyKey,
            })
          }
          onDone={() => {
            setCertificate('');
            refresh();
          }}
        >
          <CertificateInput value={certificate} onChange={setCertificate} />
        </Act>
      }
    >
      <Facts>
        <Fact name={translate('thirdParties.subject')}>
          <Copyable text={tpp.certificateSubject} />
        </Fact>
        <Fact name={translate('thirdParties.authMethod')}>
          {translate(`thirdParties.authMethods.${tpp.authMethod}`)}
        </Fact>
        <Fact name={translate('thirdParties.thumbprint')}>
          <Copyable text={tpp.certificateThumbprint} />
        </Fact>
        <Fact name={translate('thirdParties.certificateUntil')}>
          <Instant at={certificateExpiresAt} /> {isOver && <Status value="expired" tone="bad" />}
        </Fact>
      </Facts>
    </Section>
  );
}

function Keys({ tpp: { iss, jwks, jwksUri } }: Shown) {
  const translate = useTranslate();
  const title = translate('thirdParties.keys');
  const text = (value: Key[string]) => (typeof value === 'string' ? value : undefined);
  return (
    <Section title={title}>
      <Facts>
        <Fact name={translate('thirdParties.iss')}>
          <Copyable text={iss} />
        </Fact>
        <Fact name={translate('thirdParties.jwksUri')}>{jwksUri && <Copyable text={jwksUri} />}</Fact>
      </Facts>
      {jwks && (
        <PlainTable<Key>
          name={title}
          rows={jwks.keys}
          keyOf={({ kid }) => String(kid)}
          columns={[
            { label: 'thirdParties.key.kid', of: ({ kid }) => <code>{text(kid)}</code> },
            { label: 'thirdParties.key.kind', of: ({ kty, crv }) => [text(kty), text(crv)].filter(Boolean).join(' ') },
            { label: 'thirdParties.key.use', of: ({ use }) => text(use) },
            { label: 'thirdParties.key.alg', of: ({ alg }) => text(alg) },
          ]}
        />
      )}
    </Section>
  );
}

function History({ tpp: { tppId } }: Shown) {
  const translate = useTranslate();
  return (
    <SubList
      title={translate('thirdParties.history')}
      name={`history-${tppId}`}
      path="/identity/1.0.0/audit"
      params={{}}
      query={{ target: tppId }}
      // What operators do about a third party is of no tenant.
      headers={UNSCOPED}
      keyOf={({ entryId }) => entryId}
      columns={[
        { label: 'thirdParties.at', of: ({ at }) => <Instant at={at} /> },
        { label: 'thirdParties.who', of: ({ actor, actorName }) => actorName ?? actor },
        {
          label: 'thirdParties.what',
          of: ({ action, detail: { members } }) => (
            <>
              {translate(`thirdParties.actions.${action}`, { _: action })}
              {Array.isArray(members) && `: ${members.join(', ')}`}
            </>
          ),
        },
        { label: 'thirdParties.result', of: ({ result }) => result },
      ]}
    />
  );
}

function Switch({ tpp: { tppId, name, status } }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const isEnabled = status === 'enabled';
  const act = isEnabled ? 'disable' : 'enable';
  const path = { tppId };
  return (
    <Act
      id={`third-parties/${act}/${tppId}`}
      label={translate(`thirdParties.${act}.act`)}
      // The label says by then what may be done next.
      title={name}
      question={translate(`thirdParties.${act}.question`, { name })}
      color={isEnabled ? 'error' : 'primary'}
      send={({ idempotencyKey }) =>
        isEnabled
          ? api.post('/onboarding/1.0.0/tpps/{tppId}/disable', { path, idempotencyKey })
          : api.post('/onboarding/1.0.0/tpps/{tppId}/enable', { path, idempotencyKey })
      }
      outcomeOf={({ status: now }) => ({ state: 'done', text: translate(`thirdParties.done.${now}`, { name }) })}
      onDone={refresh}
    />
  );
}
