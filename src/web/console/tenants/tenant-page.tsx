import { useState } from 'react';
import { useNotify, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { SubList } from '../parts/sub-list';
import { api } from '../server/api';
import { UNSCOPED } from '../session/scope';
import { MethodsInput } from './methods-input';
import { type Method, type Tenant, useMethods } from './tenant';
import { Standing } from './tenant-list';

interface Shown {
  tenant: Tenant;
}

/** One tenant: what it is, who was invited first, and who did what about it. */
export default function TenantPage() {
  const translate = useTranslate();
  return (
    <RecordPage<Tenant>
      titleOf={({ name }) => name}
      markOf={({ status }) => <Standing of={status} />}
      actsOf={(tenant) => <Acts tenant={tenant} />}
    >
      {(tenant) => (
        <>
          <About tenant={tenant} />
          <SubList
            title={translate('tenants.history')}
            name={`history-${tenant.tenantId}`}
            path="/identity/1.0.0/audit"
            params={{}}
            query={{ target: tenant.tenantId }}
            headers={UNSCOPED}
            keyOf={({ entryId }) => entryId}
            columns={[
              { label: 'tenants.at', of: ({ at }) => <Instant at={at} /> },
              { label: 'tenants.who', of: ({ actor, actorName }) => actorName ?? actor },
              { label: 'tenants.what', of: ({ action }) => translate(`tenants.actions.${action}`, { _: action }) },
              { label: 'tenants.reason', of: ({ detail: { reason } }) => (typeof reason === 'string' ? reason : '') },
            ]}
          />
        </>
      )}
    </RecordPage>
  );
}

function About({ tenant }: Shown) {
  const translate = useTranslate();
  const { names } = useMethods();
  const { firstAdmin } = tenant;
  return (
    <Section title={translate('tenants.facts')} acts={<Methods tenant={tenant} />}>
      <Facts>
        <Fact name={translate('console.record.id')}>
          <Copyable text={tenant.tenantId} />
        </Fact>
        <Fact name={translate('tenants.country')}>{tenant.country}</Fact>
        <Fact name={translate('tenants.currency')}>{tenant.currency}</Fact>
        <Fact name={translate('tenants.methods')}>
          {tenant.methods.map((id) => (
            <div key={id}>{names.get(`${id}`) ?? id}</div>
          ))}
        </Fact>
        <Fact name={translate('tenants.firstAdmin')}>
          {firstAdmin && [firstAdmin.name, firstAdmin.email].filter(Boolean).join(', ')}
          {firstAdmin && <div>{translate(`tenants.adminStates.${firstAdmin.state}`)}</div>}
        </Fact>
        <Fact name={translate('tenants.invitationUntil')}>
          {firstAdmin?.invitationExpiresAt && <Instant at={firstAdmin.invitationExpiresAt} />}
        </Fact>
        <Fact name={translate('tenants.reason')}>{tenant.reason}</Fact>
        <Fact name={translate('tenants.created')}>
          <Instant at={tenant.createdAt} />
        </Fact>
      </Facts>
    </Section>
  );
}

/** What may be done in this state. */
function Acts({ tenant }: Shown) {
  switch (tenant.status) {
    case 'proposed':
      return (
        <>
          <Confirm tenant={tenant} />
          <Decide key="withdraw" tenant={tenant} verb="withdraw" />
        </>
      );
    case 'active':
      return <Decide key="suspend" tenant={tenant} verb="suspend" />;
    case 'suspended':
      return <Decide key="resume" tenant={tenant} verb="resume" />;
    case 'withdrawn':
      return null;
  }
}

/** The button goes with the next reading, and its dialog with it: so the page says what became of it. */
function useDone(): (tenant: Tenant) => void {
  const translate = useTranslate();
  const notify = useNotify();
  const refresh = useRefresh();
  return ({ name, status }) => {
    notify(translate('tenants.done', { name, status: translate(`tenants.statuses.${status}`) }), { type: 'success' });
    refresh();
  };
}

function Confirm({ tenant: { tenantId, name, firstAdmin } }: Shown) {
  const translate = useTranslate();
  const onDone = useDone();
  return (
    <Act
      id={`tenants/confirm/${tenantId}`}
      label={translate('tenants.confirm.act')}
      title={name}
      question={translate('tenants.confirm.question', { name, email: firstAdmin?.email ?? '' })}
      send={({ idempotencyKey }) =>
        api.post('/ops/1.0.0/tenants/{tenantId}/confirm', { path: { tenantId }, idempotencyKey })
      }
      onDone={onDone}
    />
  );
}

function Decide({ tenant: { tenantId, name }, verb }: Shown & { verb: 'withdraw' | 'suspend' | 'resume' }) {
  const translate = useTranslate();
  const onDone = useDone();
  const [reason, setReason] = useState('');
  return (
    <Act
      id={`tenants/${verb}/${tenantId}`}
      label={translate(`tenants.${verb}.act`)}
      title={name}
      question={translate(`tenants.${verb}.question`, { name })}
      color={verb === 'resume' ? 'primary' : 'error'}
      values={reason}
      send={({ idempotencyKey }) => {
        const sent = { path: { tenantId }, body: { reason }, idempotencyKey };
        if (verb === 'withdraw') return api.post('/ops/1.0.0/tenants/{tenantId}/withdraw', sent);
        if (verb === 'suspend') return api.post('/ops/1.0.0/tenants/{tenantId}/suspend', sent);
        return api.post('/ops/1.0.0/tenants/{tenantId}/resume', sent);
      }}
      onDone={onDone}
    >
      <Reason value={reason} onChange={setReason} />
    </Act>
  );
}

function Methods({ tenant: { tenantId, name, status, methods } }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [chosen, setChosen] = useState(() => methods.map(String));
  const [reason, setReason] = useState('');
  if (status !== 'active' && status !== 'suspended') return null;
  return (
    <Act
      id={`tenants/methods/${tenantId}`}
      label={translate('tenants.chooseMethods.act')}
      title={name}
      question={translate('tenants.chooseMethods.question', { name })}
      values={{ chosen, reason }}
      send={() =>
        api.put('/ops/1.0.0/tenants/{tenantId}/methods', {
          path: { tenantId },
          body: { methods: chosen.map(Number) as Method['id'][], reason },
        })
      }
      onDone={refresh}
    >
      <MethodsInput values={chosen} onChange={setChosen} />
      <Reason value={reason} onChange={setReason} />
    </Act>
  );
}

function Reason(props: { value: string; onChange(value: string): void }) {
  const translate = useTranslate();
  return (
    <Input
      {...props}
      label={translate('tenants.reason')}
      multiline
      required
      slotProps={{ htmlInput: { maxLength: 500 } }}
    />
  );
}
