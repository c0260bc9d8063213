import { Button, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import type { Outcome } from '../parts/act-sending';
import { useAmountText } from '../parts/amount';
import { api, type BodyOf } from '../server/api';
import type { Dispute } from './dispute';

interface Shown {
  dispute: Dispute;
}

const BASE = '/disputes/1.0.0/disputes/{disputeId}';
const hasEnded = ({ status }: Dispute) => status === 'won' || status === 'lost';

/** An order is pending until the processor has taken it; the dispute says so. */
function outcomeOf({ pendingOperation }: Dispute): Outcome {
  return { state: pendingOperation ? 'pending' : 'done' };
}

function pollOf({ disputeId }: Dispute) {
  return (signal: AbortSignal) => api.get(BASE, { path: { disputeId }, signal }) as Promise<Dispute>;
}

/** The API refuses other types, and says so. */
type ContentType = NonNullable<
  BodyOf<'/disputes/1.0.0/disputes/{disputeId}/evidence', 'post'>['documents']
>[number]['contentType'];

/** A file as the API wants it: base64. */
async function encoded(file: File) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { name: file.name, contentType: file.type as ContentType, content: btoa(text) };
}

export function SubmitEvidence({ dispute }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [text, setText] = useState('');
  const [files, setFiles] = useState<File[]>([]);
  const { disputeId, evidenceDueAt } = dispute;
  const isOver = !evidenceDueAt || Date.parse(evidenceDueAt) < Date.now();
  return (
    <Act<Dispute>
      id={`evidence/${disputeId}`}
      label={translate('disputes.submit.act')}
      variant="contained"
      question={<Typography>{translate('disputes.submit.question', { case: dispute.caseId })}</Typography>}
      values={[text, files.map(({ name, size, lastModified }) => [name, size, lastModified])]}
      disabled={hasEnded(dispute) || isOver || dispute.pendingOperation !== undefined}
      send={async ({ idempotencyKey }) => {
        const documents = await Promise.all(files.map(encoded));
        const body = { text, ...(documents.length > 0 && { documents }) };
        return api.post(`${BASE}/evidence`, { path: { disputeId }, body, idempotencyKey }) as Promise<Dispute>;
      }}
      outcomeOf={outcomeOf}
      poll={pollOf(dispute)}
      onDone={() => refresh()}
    >
      <TextField
        label={translate('disputes.submit.text')}
        value={text}
        onChange={({ target }) => setText(target.value)}
        multiline
        minRows={4}
        fullWidth
        required
        margin="normal"
      />
      <Button component="label" variant="outlined">
        {translate('disputes.submit.files')}
        <input
          type="file"
          multiple
          hidden
          accept="application/pdf,image/png,image/jpeg"
          onChange={({ target }) => setFiles([...(target.files ?? [])])}
        />
      </Button>
      <Typography variant="body2" sx={{ mt: 1 }}>
        {files.map(({ name }) => name).join(', ') || translate('disputes.submit.filesHelp')}
      </Typography>
    </Act>
  );
}

export function PresentAgain({ dispute }: Shown) {
  const translate = useTranslate();
  const say = useAmountText();
  const refresh = useRefresh();
  const { disputeId, amount, currency, status, secondPresentment, pendingOperation } = dispute;
  return (
    <Act<Dispute>
      id={`present/${disputeId}`}
      label={translate('disputes.present.act')}
      question={translate('disputes.present.question', { amount: say(amount, currency) })}
      disabled={status !== 'evidence_submitted' || secondPresentment !== 'none' || pendingOperation !== undefined}
      send={({ idempotencyKey }) =>
        api.post(`${BASE}/second-presentment`, { path: { disputeId }, idempotencyKey }) as Promise<Dispute>
      }
      outcomeOf={outcomeOf}
      poll={pollOf(dispute)}
      onDone={() => refresh()}
    />
  );
}

export function AcceptDispute({ dispute }: Shown) {
  const translate = useTranslate();
  const say = useAmountText();
  const refresh = useRefresh();
  const { disputeId, amount, currency, pendingOperation } = dispute;
  return (
    <Act<Dispute>
      id={`accept/${disputeId}`}
      label={translate('disputes.accept.act')}
      color="error"
      question={translate('disputes.accept.question', { amount: say(amount, currency) })}
      disabled={hasEnded(dispute) || pendingOperation !== undefined}
      send={({ idempotencyKey }) =>
        api.post(`${BASE}/accept`, { path: { disputeId }, idempotencyKey }) as Promise<Dispute>
      }
      outcomeOf={outcomeOf}
      poll={pollOf(dispute)}
      onDone={() => refresh()}
    />
  );
}
