import { Alert, Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { useParams } from 'react-router';
import { Fact, Facts, Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { Instant } from '../parts/instant';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { Status } from '../parts/status';
import { api } from '../server/api';
import { AUDIT_TONES } from './audit-list';

const MOST_SHOWN = 200;

/** One audit of the books: each check with what it found. It is read again until it has ended. */
export default function AuditPage() {
  const translate = useTranslate();
  const { id: auditId = '' } = useParams();
  const { data: audit, error } = useLive(
    ['audit', auditId],
    (signal) => api.get('/ops/1.0.0/audits/{auditId}', { path: { auditId }, signal }),
    ({ finishedAt }) => finishedAt !== undefined,
  );
  const findings = useQuery({
    queryKey: ['audit-findings', auditId, audit?.findings],
    enabled: (audit?.findings ?? 0) > 0,
    queryFn: ({ signal }) =>
      api.get('/ops/1.0.0/audits/{auditId}/findings', { path: { auditId }, query: { limit: MOST_SHOWN }, signal }),
  });
  if (error) return <Problem error={error} />;
  if (!audit) return null;
  return (
    <Box sx={{ minWidth: 0 }}>
      <Heading
        title={translate('resources.audits.name', { smart_count: 1 })}
        mark={<Status value={audit.status} tone={AUDIT_TONES[audit.status]} />}
      />
      <div aria-live="polite">
        {audit.inOrder !== undefined && (
          <Alert severity={audit.inOrder ? 'success' : 'error'} sx={{ mb: 2 }}>
            {audit.inOrder
              ? translate('operations.audit.inOrder')
              : translate('operations.audit.found', { count: audit.findings })}
          </Alert>
        )}
      </div>
      <Section title={translate('operations.audit.facts')}>
        <Facts>
          <Fact name={translate('operations.audit.reason')}>{audit.reason}</Fact>
          <Fact name={translate('operations.audit.startedBy')}>{audit.startedBy}</Fact>
          <Fact name={translate('operations.audit.created')}>
            <Instant at={audit.createdAt} />
          </Fact>
          <Fact name={translate('operations.audit.finished')}>
            {audit.finishedAt && <Instant at={audit.finishedAt} />}
          </Fact>
          <Fact name={translate('operations.audit.failure')}>{audit.failure}</Fact>
        </Facts>
      </Section>
      {(findings.data?.data.length ?? 0) > 0 && (
        <Section title={translate('operations.audit.findings')}>
          <Box component="ul" sx={{ m: 0, pl: 2.5, overflowWrap: 'anywhere' }} lang="en">
            {findings.data!.data.map(({ check, subject, detail }) => (
              <li key={`${check} ${subject} ${detail}`}>
                <strong>{subject}</strong>: {detail} ({check})
              </li>
            ))}
          </Box>
        </Section>
      )}
      <Section title={translate('operations.audit.checks', { count: audit.checks.length })}>
        <Box component="ul" sx={{ m: 0, pl: 2.5 }} lang="en">
          {audit.checks.map(({ check, findings: count }) => (
            <li key={check}>
              {check}: <strong>{count}</strong>
            </li>
          ))}
        </Box>
      </Section>
    </Box>
  );
}
