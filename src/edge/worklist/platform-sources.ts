import { NO_MONEY, source } from './work';

/** More of them are not counted: who looks needs to know that there are many. */
const MOST_COUNTED = 10_000;
/** What was given up longer ago is history. */
export const GIVEN_UP_DAYS = 7;
/** A message that waits longer than this has no carrier, or a broken one. */
const MESSAGE_WAITS_MINUTES = 15;

const counted = (count: number) => (count >= MOST_COUNTED ? `at least ${MOST_COUNTED}` : `${count}`);
const NOBODYS = { tenant: 'NULL::text', organization: 'NULL::text', ...NO_MONEY };

export const CALLBACK_SOURCE = source<{ processor: string; type: string; reference: string; note: string | null }>({
  ...NO_MONEY,
  tenant: 'p.tenant_id',
  organization: 'p.organization_id',
  id: 'c.id',
  from: 'callback_inbox c LEFT JOIN payments p ON p.id = c.reference',
  where: "c.state = 'flagged'",
  since: 'c.received_at',
  facts: "jsonb_build_object('processor', c.processor, 'type', c.type, 'reference', c.reference, 'note', c.note)",
  why: ({ facts: { processor, type, reference, note } }) =>
    `Processor ${processor} reports ${type.replaceAll('_', ' ')} of ${reference}, and it changed nothing: ${note ?? 'it does not fit'}.`,
  whatToDo: () =>
    'Compare what it says with the object. Once they fit, replay it. Dismiss it when the processor was wrong.',
  acts: ({ id }) =>
    ['replay', 'dismiss'].map((act) => ({ act, path: `/ops/1.0.0/callbacks/${id}/${act}`, asks: ['reason'] as const })),
  workflow: () => undefined,
});

export const NOTIFICATION_SOURCE = source<{ endpoint: string; count: number }>({
  ...NO_MONEY,
  tenant: 'min(n.tenant_id)',
  organization: 'n.organization_id',
  id: "n.organization_id || ' ' || n.endpoint",
  from: `(SELECT tenant_id, organization_id, endpoint, created_at FROM notifications WHERE state = 'failed'
    AND type <> 'test.ping' AND created_at > now() - interval '${GIVEN_UP_DAYS} days'
    ORDER BY created_at DESC LIMIT ${MOST_COUNTED}) n`,
  where: 'true',
  groupBy: 'n.organization_id, n.endpoint',
  since: 'min(n.created_at)',
  facts: "jsonb_build_object('endpoint', n.endpoint, 'count', count(*))",
  why: ({ facts }) => `${counted(facts.count)} notifications to ${facts.endpoint} were given up.`,
  whatToDo: () => 'Have the merchant mend its server, then deliver them again.',
  acts: ({ organization_id, facts }) => [
    {
      act: 'redeliver',
      path: '/ops/1.0.0/notifications/redeliver',
      body: { organizationId: organization_id!, endpoint: facts.endpoint },
      asks: ['reason'],
    },
  ],
  workflow: () => undefined,
});

export const MESSAGE_SOURCE = source<{ channel: string; count: number }>({
  ...NOBODYS,
  id: 'm.channel',
  from: `(SELECT channel, created_at FROM messages WHERE state = 'queued'
    AND created_at < now() - interval '${MESSAGE_WAITS_MINUTES} minutes' ORDER BY next_try_at LIMIT ${MOST_COUNTED}) m`,
  where: 'true',
  groupBy: 'm.channel',
  since: 'min(m.created_at)',
  facts: "jsonb_build_object('channel', m.channel, 'count', count(*))",
  why: ({ facts }) =>
    `${counted(facts.count)} ${facts.channel === 'sms' ? 'SMS' : 'e-mails'} wait for longer than ${MESSAGE_WAITS_MINUTES} minutes.`,
  whatToDo: () =>
    'Look at the carrier: its settings, its answers in the log of the worker. They are sent once it takes them.',
  acts: () => [],
  workflow: () => undefined,
});

export const SECURITY_SOURCE = source<{ receiver: string; count: number; sources: number }>({
  ...NOBODYS,
  id: 's.receiver',
  from: `(SELECT detail->>'receiver' AS receiver, coalesce((detail->>'count')::int, 1) AS times, source, at FROM security_events WHERE kind = 'callback_signature'
    AND at > now() - interval '1 day' ORDER BY at DESC LIMIT ${MOST_COUNTED}) s`,
  where: 'true',
  groupBy: 's.receiver',
  since: 'min(s.at)',
  facts: "jsonb_build_object('receiver', s.receiver, 'count', sum(s.times), 'sources', count(DISTINCT s.source))",
  why: ({ facts }) =>
    `${counted(facts.count)} callbacks to ${facts.receiver} had a missing or wrong signature in the last day, from ${facts.sources} addresses.`,
  whatToDo: () =>
    'Compare the secret with that of the processor. If it is right, somebody tries to forge callbacks: look at the addresses.',
  acts: () => [],
  workflow: () => undefined,
});

export const LOST_FLOW_SOURCE = source<{ flow: string; objectId: string; failure: string }>({
  ...NO_MONEY,
  tenant: 'l.tenant_id',
  organization: 'NULL::text',
  id: 'l.workflow_id',
  from: 'lost_flows l',
  where: 'true',
  since: 'l.found_at',
  facts: "jsonb_build_object('flow', l.flow, 'objectId', l.object_id, 'failure', l.failure)",
  why: ({ facts }) => `The flow of ${facts.objectId} is gone and could not be started anew (${facts.failure}).`,
  whatToDo: () => 'Look for the failure in the log of the worker. Once it is mended, restart the flow.',
  acts: ({ facts }) => [
    { act: 'restart', path: '/ops/1.0.0/flows/restart', body: { objectId: facts.objectId }, asks: ['reason'] },
  ],
  workflow: ({ id }) => id,
});

export const TENANT_SOURCE = source<{ name: string; by: string; reason: string }>({
  ...NO_MONEY,
  tenant: 'n.id',
  organization: 'NULL::text',
  id: 'n.id',
  from: 'tenants n',
  where: "n.status = 'proposed'",
  since: 'n.created_at',
  facts: "jsonb_build_object('name', n.name, 'by', n.proposed_by, 'reason', n.reason)",
  why: ({ facts: { name, by, reason } }) => `${by} proposes the tenant ${name}: ${reason}`,
  whatToDo: () =>
    'Check its name, country, methods and first admin. Another operator than the first confirms or withdraws it.',
  acts: ({ id }) => [
    { act: 'confirm', path: `/ops/1.0.0/tenants/${id}/confirm`, asks: [] },
    { act: 'withdraw', path: `/ops/1.0.0/tenants/${id}/withdraw`, asks: ['reason'] },
  ],
  workflow: () => undefined,
});
