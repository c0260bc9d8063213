import { Typography } from '@mui/material';
import { useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { FileInput } from '../parts/file-input';
import { Input } from '../parts/input';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { ACTIVATION, type Activation, isOpen, outcomeOf, pollOf } from './activation';

interface Shown {
  activation: Activation;
}

export function Withdraw({ activation }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { activationId } = activation;
  return (
    <Act<Activation>
      id={`withdraw/${activationId}`}
      label={translate('activations.withdraw.act')}
      color="warning"
      question={translate('activations.withdraw.question')}
      disabled={!isOpen(activation)}
      send={({ idempotencyKey }) => api.post(`${ACTIVATION}/withdraw`, { path: { activationId }, idempotencyKey })}
      outcomeOf={outcomeOf}
      poll={pollOf(activation)}
      onDone={refresh}
    />
  );
}

/** The merchant goes live. What is not done needs a reason. */
export function Approve({ activation }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [reason, setReason] = useState('');
  const { activationId, organizationId, checks } = activation;
  const missing = checks.filter(({ done }) => !done).map(({ item }) => translate(`activations.checks.${item}`));
  const given = reason.trim();
  return (
    <Act<Activation>
      id={`approve/${activationId}`}
      label={translate('activations.approve.act')}
      question={
        <>
          <Typography>{translate('activations.approve.question', { organization: organizationId })}</Typography>
          {missing.length > 0 && (
            <Typography>{translate('activations.approve.missing', { checks: missing.join(', ') })}</Typography>
          )}
        </>
      }
      values={reason}
      disabled={!isOpen(activation)}
      send={({ idempotencyKey }) =>
        api.post(`${ACTIVATION}/approve`, {
          path: { activationId },
          body: given ? { reason: given } : {},
          idempotencyKey,
        })
      }
      outcomeOf={outcomeOf}
      poll={pollOf(activation)}
      onDone={refresh}
    >
      <Input
        label={translate('console.act.reason')}
        helperText={translate('console.act.reasonHelp')}
        value={reason}
        onChange={setReason}
        required={missing.length > 0}
        multiline
      />
    </Act>
  );
}

export function Reject({ activation }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [reason, setReason] = useState('');
  const { activationId, organizationId } = activation;
  return (
    <Act<Activation>
      id={`reject/${activationId}`}
      label={translate('activations.reject.act')}
      color="error"
      question={translate('activations.reject.question', { organization: organizationId })}
      values={reason}
      disabled={!isOpen(activation)}
      send={({ idempotencyKey }) =>
        api.post(`${ACTIVATION}/reject`, { path: { activationId }, body: { reason: reason.trim() }, idempotencyKey })
      }
      outcomeOf={outcomeOf}
      poll={pollOf(activation)}
      onDone={refresh}
    >
      <Input label={translate('console.act.reason')} value={reason} onChange={setReason} required multiline />
    </Act>
  );
}

interface UploadProps extends Shown {
  documentNumber: number;
  name: string;
}

/** Sends the file of a document. A later one takes the place of the earlier one. */
export function Upload({ activation: { activationId }, documentNumber, name }: UploadProps) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { permissions: person } = usePermissions<Person>();
  const [file, setFile] = useState<File>();
  if (person?.role === 'ops') return null;
  return (
    <Act<Activation>
      id={`upload/${activationId}/${documentNumber}`}
      label={translate('activations.upload.act')}
      title={translate('activations.upload.title', { name })}
      question={translate('activations.upload.question')}
      values={file && [file.name, file.size, file.lastModified]}
      send={() => {
        if (!file) throw new Error(translate('activations.upload.none'));
        return api.put(`${ACTIVATION}/documents/{documentNumber}/file`, {
          path: { activationId, documentNumber },
          file,
        });
      }}
      onDone={refresh}
    >
      <FileInput
        label={translate('activations.upload.choose')}
        accept="application/pdf,image/png,image/jpeg"
        onChange={([chosen]) => setFile(chosen)}
      />
      <Typography variant="body2" sx={{ mt: 1 }}>
        {file?.name ?? translate('activations.upload.none')}
      </Typography>
    </Act>
  );
}
