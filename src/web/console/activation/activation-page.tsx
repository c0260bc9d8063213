import DoneIcon from '@mui/icons-material/CheckCircleOutlined';
import OpenIcon from '@mui/icons-material/RadioButtonUncheckedOutlined';
import { Alert, Box, Typography } from '@mui/material';
import { usePermissions, useTranslate } from 'react-admin';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { StoredFile } from '../parts/stored-file';
import type { Person } from '../session/session';
import { ACTIVATION, ACTIVATION_TONES, type Activation, isOpen } from './activation';
import { Approve, Reject, Upload, Withdraw } from './acts';

/** One application: what is done, what is missing, and what was decided. */
export default function ActivationPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const isOperator = person?.role === 'ops';
  return (
    <RecordPage<Activation>
      titleOf={({ number }) => translate('activations.name', { number })}
      markOf={({ status }) => <Status value={status} tone={ACTIVATION_TONES[status]} />}
      actsOf={(activation) =>
        isOperator ? (
          <>
            <Approve activation={activation} />
            <Reject activation={activation} />
          </>
        ) : (
          <Withdraw activation={activation} />
        )
      }
    >
      {(activation) => (
        <>
          {activation.reason && (
            <Alert severity={activation.decision === 'rejected' ? 'error' : 'info'} sx={{ mb: 2 }}>
              {translate('activations.because', { reason: activation.reason })}
            </Alert>
          )}
          <Checks activation={activation} />
          <Declared activation={activation} />
          <Documents activation={activation} canRead={person !== undefined && person.role !== 'merchant'} />
        </>
      )}
    </RecordPage>
  );
}

function Checks({ activation: { checks } }: { activation: Activation }) {
  const translate = useTranslate();
  return (
    <Section title={translate('activations.checks.title')}>
      <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {checks.map(({ item, done }) => {
          const Icon = done ? DoneIcon : OpenIcon;
          return (
            <Box component="li" key={item} sx={{ display: 'flex', gap: 1, py: 0.5 }}>
              <Icon fontSize="small" color={done ? 'success' : 'warning'} aria-hidden />
              <Typography variant="body2">
                {translate(`activations.checks.${item}`)}:{' '}
                <strong>{translate(done ? 'activations.checks.done' : 'activations.checks.missing')}</strong>
                {!done && ` ${translate(`activations.checks.how.${item}`)}`}
              </Typography>
            </Box>
          );
        })}
      </Box>
    </Section>
  );
}

function Declared({ activation }: { activation: Activation }) {
  const translate = useTranslate();
  const { activationId, organizationId, checklist, callbackUrl, createdAt, decidedAt } = activation;
  const said = (value: string | boolean) =>
    typeof value === 'string' ? value : translate(value ? 'ra.boolean.true' : 'ra.boolean.false');
  return (
    <Section title={translate('activations.declared')}>
      <Facts>
        <Fact name={translate('console.record.id')}>
          <Copyable text={activationId} />
        </Fact>
        <Fact name={translate('activations.organization')}>
          <Copyable text={organizationId} />
        </Fact>
        <Fact name={translate('activations.created')}>
          <Instant at={createdAt} />
        </Fact>
        <Fact name={translate('activations.decided')}>{decidedAt && <Instant at={decidedAt} />}</Fact>
        {Object.entries(checklist as Record<string, string | boolean>).map(([name, value]) => (
          <Fact key={name} name={translate(`activations.checklist.${name}`, { _: name })}>
            {said(value)}
          </Fact>
        ))}
        <Fact name={translate('activations.callbackUrl')}>{callbackUrl}</Fact>
      </Facts>
    </Section>
  );
}

function Documents({ activation, canRead }: { activation: Activation; canRead: boolean }) {
  const translate = useTranslate();
  const { activationId, documents } = activation;
  return (
    <Section title={translate('activations.documents')}>
      {documents.length === 0 && <Typography color="text.secondary">{translate('console.list.none')}</Typography>}
      {documents.map(({ documentNumber, name, purpose, documentType, reference, file }) => (
        <Box key={documentNumber} sx={{ py: 1, borderTop: 1, borderColor: 'divider' }}>
          <Typography component="h3" variant="subtitle2">
            {name}
          </Typography>
          <Typography variant="body2" color="text.secondary">
            {[purpose, documentType, reference].filter(Boolean).join(' · ')}
          </Typography>
          {file ? (
            <Typography variant="body2">
              {translate('activations.uploaded')} <Instant at={file.uploadedAt} />
            </Typography>
          ) : (
            !reference && <Typography variant="body2">{translate('activations.noFile')}</Typography>
          )}
          {file && canRead && (
            <StoredFile
              path={`${ACTIVATION}/documents/{documentNumber}/file`}
              params={{ activationId, documentNumber: String(documentNumber) }}
              contentType={file.contentType}
              text={name}
            />
          )}
          {isOpen(activation) && <Upload activation={activation} documentNumber={documentNumber} name={name} />}
        </Box>
      ))}
    </Section>
  );
}
