import { Link as PlainLink, Typography } from '@mui/material';
import { usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { Timeline } from '../parts/timeline';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { AcceptDispute, PresentAgain, SubmitEvidence } from './acts';
import { type Dispute, STATUS_TONES } from './dispute';

export default function DisputePage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  return (
    <RecordPage<Dispute>
      titleOf={({ amount, currency }) => <Amount amount={amount} currency={currency} />}
      markOf={({ status }) => <Status value={status} tone={STATUS_TONES[status]} />}
      actsOf={(dispute) =>
        person?.role !== 'ops' && (
          <>
            <SubmitEvidence dispute={dispute} />
            <PresentAgain dispute={dispute} />
            <AcceptDispute dispute={dispute} />
          </>
        )
      }
    >
      {(dispute) => (
        <>
          <Section title={translate('disputes.facts')}>
            <Facts>
              <Fact name={translate('console.record.id')}>
                <Copyable text={dispute.disputeId} />
              </Fact>
              <Fact name={translate('disputes.payment')}>
                <PlainLink component={Link} to={`/payments/${dispute.paymentId}/show`}>
                  {dispute.paymentId}
                </PlainLink>
              </Fact>
              <Fact name={translate('disputes.case')}>{dispute.caseId}</Fact>
              <Fact name={translate('disputes.reason')}>{dispute.reason}</Fact>
              <Fact name={translate('disputes.detail')}>{dispute.detail}</Fact>
              <Fact name={translate('disputes.due')}>
                {dispute.evidenceDueAt && <Instant at={dispute.evidenceDueAt} />}
              </Fact>
              <Fact name={translate('disputes.presentment.name')}>
                {translate(`disputes.presentment.${dispute.secondPresentment}`)}
              </Fact>
            </Facts>
          </Section>
          <Section title={translate('disputes.evidence')}>
            {!dispute.evidence?.length && <Typography variant="body2">{translate('disputes.noEvidence')}</Typography>}
            {dispute.evidence?.map(({ evidenceId, createdAt, status, detail, documents }) => (
              <Facts key={evidenceId}>
                <Fact name={translate('disputes.sent')}>
                  <Instant at={createdAt} /> <Status value={status} />
                </Fact>
                <Fact name={translate('disputes.detail')}>{detail}</Fact>
                <Fact name={translate('disputes.documents')}>{documents.map(({ name }) => name).join(', ')}</Fact>
              </Facts>
            ))}
          </Section>
          <DisputeTimeline dispute={dispute} />
        </>
      )}
    </RecordPage>
  );
}

function DisputeTimeline({ dispute: { disputeId, status } }: { dispute: Dispute }) {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['dispute-events', disputeId],
    (signal) => api.get('/disputes/1.0.0/disputes/{disputeId}/events', { path: { disputeId }, signal }),
    () => status === 'won' || status === 'lost',
  );
  return (
    <Section title={translate('disputes.timeline')}>
      <Problem error={error} />
      <Timeline
        steps={(data?.data ?? []).map(({ at, to, amount, currency, detail }) => ({
          at,
          what: (
            <>
              <Status value={to} tone={STATUS_TONES[to]} />{' '}
              {/[1-9]/.test(amount) && <Amount amount={amount} currency={currency} />}
            </>
          ),
          detail,
        }))}
      />
    </Section>
  );
}
