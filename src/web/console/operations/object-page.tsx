import { Box } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Amount } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { Timeline } from '../parts/timeline';
import { WorkflowLink } from '../parts/workflow-link';
import { type Answer, api } from '../server/api';
import { InterventionActs } from './intervention-acts';
import { OperatorAct } from './operator-act';
import { offeredOn } from './work';

type Thing = Answer<'/ops/1.0.0/objects/{objectId}'>;

/** A payment, top-up, refund, dispute or late money, as operators see it: how it stands, and what they can do. */
export default function ObjectPage() {
  const translate = useTranslate();
  return (
    <RecordPage<Thing>
      titleOf={({ kind, amount, currency }) => (
        <>
          {translate(`operations.kinds.${kind}`)} <Amount amount={amount} currency={currency} />
        </>
      )}
      markOf={({ status, review }) => <Status value={status} tone={review ? 'waiting' : 'plain'} />}
    >
      {(thing, refresh) => (
        <>
          <Section title={translate('operations.object.facts')}>
            <Facts>
              <Fact name={translate('console.record.id')}>
                <Copyable text={thing.objectId} />
              </Fact>
              <Fact name={translate('operations.object.review')}>
                {thing.review && <span lang="en">{thing.review}</span>}
              </Fact>
              <Fact name={translate('operations.object.detail')}>
                <span lang="en">{thing.detail}</span>
              </Fact>
              <Fact name={translate('operations.object.unknown')}>
                {translate(thing.outcomeUnknown ? 'ra.boolean.true' : 'ra.boolean.false')}
              </Fact>
              <Fact name={translate('operations.object.payment')}>
                {thing.paymentId !== thing.objectId && <Copyable text={thing.paymentId} />}
              </Fact>
              <Fact name={translate('operations.object.processor')}>{thing.processor}</Fact>
              <Fact name={translate('console.scope.tenant')}>{thing.tenantId}</Fact>
              <Fact name={translate('console.scope.organization')}>{thing.organizationId}</Fact>
              <Fact name={translate('operations.object.updated')}>
                <Instant at={thing.updatedAt} />
              </Fact>
              <Fact name={translate('operations.object.workflow')}>
                <WorkflowLink workflowId={thing.workflowId} />
              </Fact>
            </Facts>
            <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
              {thing.possibleActs.map((act) => (
                <OperatorAct
                  key={act}
                  offered={offeredOn(thing.kind, thing.objectId, act)}
                  about={thing.objectId}
                  amount={thing.amount}
                  currency={thing.currency}
                  onDone={refresh}
                />
              ))}
            </Box>
          </Section>
          <History objectId={thing.objectId} updatedAt={thing.updatedAt} refresh={refresh} />
        </>
      )}
    </RecordPage>
  );
}

/** What operators have ordered about it; newest last, up to date until nothing is under way. */
function History({ objectId, updatedAt, refresh }: { objectId: string; updatedAt: string; refresh: () => void }) {
  const translate = useTranslate();
  const { data, error, refetch } = useLive(
    // Read anew whenever the object has changed.
    ['interventions', objectId, updatedAt],
    (signal) => api.get('/ops/1.0.0/interventions', { query: { objectId, limit: 50 }, signal }),
    ({ data: rows }) => rows.every(({ status }) => status !== 'ordered'),
  );
  const done = () => {
    refresh();
    void refetch();
  };
  const rows = [...(data?.data ?? [])].reverse();
  return (
    <Section title={translate('operations.object.history')}>
      <Problem error={error} />
      {rows.length === 0 && translate('console.record.nothing')}
      <Timeline
        steps={rows.map((row) => ({
          at: row.createdAt,
          what: (
            <>
              {translate(`operations.acts.${row.act}`)} {row.outcome && translate(`operations.choices.${row.outcome}`)}{' '}
              <Status value={row.status} />
            </>
          ),
          detail: (
            <>
              <div>
                {row.orderedBy}
                {row.confirmedBy && ` + ${row.confirmedBy}`}: {row.reason}
              </div>
              <div lang="en">{row.detail}</div>
              <InterventionActs row={row} onDone={done} />
            </>
          ),
        }))}
      />
    </Section>
  );
}
