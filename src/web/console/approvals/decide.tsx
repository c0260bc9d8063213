import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Section } from '../parts/facts';
import { Input } from '../parts/input';
import { PlainTable } from '../parts/plain-table';
import { Status } from '../parts/status';
import { type Answer, api } from '../server/api';
import type { Approval } from './approval';

type Outcome = Answer<'/approvals/1.0.0/approvals/decisions', 'post'>['data'][number];

/** What was chosen, and what the API said about it. */
export interface Decision {
  approval: Approval;
  outcome: Outcome;
}

interface DecideProps {
  decision: 'approve' | 'reject';
  chosen: readonly Approval[];
  onDecided(decisions: readonly Decision[]): void;
}

/** Decides about all that is chosen. Each is decided for itself; what became of each is shown. */
export function Decide({ decision, chosen, onDecided }: DecideProps) {
  const translate = useTranslate();
  const [reason, setReason] = useState('');
  // The question stays about what it was asked about, also while the list reads itself again.
  const count = chosen.length;
  const approvalIds = chosen.map(({ approvalId }) => approvalId);
  return (
    <Act
      id={`approvals/${decision}`}
      label={translate(`approvals.${decision}`, { count: count > 0 ? `(${count})` : '' }).trim()}
      title={translate(`approvals.${decision}Title`)}
      question={translate(`approvals.${decision}Question`, { count })}
      values={{ approvalIds, reason }}
      color={decision === 'reject' ? 'error' : 'primary'}
      variant={decision === 'approve' ? 'contained' : 'outlined'}
      disabled={count === 0}
      send={async ({ idempotencyKey }) => {
        const { data } = await api.post('/approvals/1.0.0/approvals/decisions', {
          body: { decision, approvalIds, ...(reason.trim() && { reason: reason.trim() }) },
          idempotencyKey,
        });
        return data.map((outcome, at) => ({ approval: chosen[at]!, outcome }));
      }}
      outcomeOf={(made) => {
        const refused = made.filter(({ outcome }) => outcome.error).length;
        const done = made.length - refused;
        return {
          state: refused === 0 ? 'done' : 'refused',
          text: translate(refused === 0 ? 'approvals.decided' : 'approvals.someRefused', { done, refused }),
        };
      }}
      onDone={(made) => {
        setReason('');
        onDecided(made);
      }}
    >
      <Input
        label={translate(decision === 'reject' ? 'console.act.reason' : 'approvals.reasonOptional')}
        helperText={translate('console.act.reasonHelp')}
        value={reason}
        onChange={setReason}
        required={decision === 'reject'}
        multiline
        autoFocus
      />
    </Act>
  );
}

/** What became of the last decisions, one by one. */
export function Outcomes({ decisions }: { decisions: readonly Decision[] }) {
  const translate = useTranslate();
  if (decisions.length === 0) return null;
  const title = translate('approvals.outcomes');
  return (
    <Section title={title}>
      <PlainTable<Decision>
        name={title}
        rows={decisions}
        keyOf={({ outcome }) => outcome.approvalId}
        columns={[
          { label: 'approvals.about', of: ({ approval }) => approval.title },
          { label: 'approvals.kind', of: ({ approval }) => translate(`approvals.kinds.${approval.kind}`) },
          {
            label: 'approvals.outcome',
            of: ({ outcome: { status, error } }) =>
              error ? error.message : <Status value={status!} tone={status === 'rejected' ? 'bad' : 'good'} />,
          },
        ]}
      />
    </Section>
  );
}
