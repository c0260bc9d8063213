import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { TextLink } from '../parts/text-link';
import { api } from '../server/api';
import { useScope } from '../session/scope';
import type { Person } from '../session/session';
import type { Run } from './payout';

export default function RunList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const columns: Column<Run>[] = [
    { label: 'payouts.runs.dueAt', of: ({ dueAt }) => <Instant at={dueAt} /> },
    { label: 'payouts.runs.outcome', of: ({ outcome }) => translate(`payouts.runs.outcomes.${outcome}`) },
    {
      label: 'payouts.balance.available',
      of: ({ available, currency }) => <Amount amount={available} currency={currency} />,
      end: true,
    },
    { label: 'payouts.detail', of: ({ detail }) => detail },
    {
      label: 'payouts.runs.payout',
      of: ({ payoutId }) => payoutId && <TextLink to={`/payouts/${payoutId}/show`}>{payoutId}</TextLink>,
    },
  ];
  return <ListPage<Run> columns={columns} to={false} acts={person?.role === 'tenant_admin' && <RunNow />} />;
}

function RunNow() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { organizationId } = useScope();
  return (
    <Act
      id={`run-payouts/${organizationId ?? 'all'}`}
      label={translate('payouts.runs.now.act')}
      question={translate(organizationId ? 'payouts.runs.now.questionOne' : 'payouts.runs.now.question')}
      variant="contained"
      send={({ idempotencyKey }) =>
        api.post('/payouts/1.0.0/runs', { body: organizationId ? { organizationId } : {}, idempotencyKey })
      }
      outcomeOf={({ sellers }) => ({ state: 'done', text: translate('payouts.runs.now.done', { sellers }) })}
      onDone={refresh}
    />
  );
}
