import { MenuItem, TextField } from '@mui/material';
import { useRef, useState } from 'react';
import { useNotify, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import type { Outcome } from '../parts/act-sending';
import { useAmountText } from '../parts/amount';
import { api, request } from '../server/api';
import { useScope } from '../session/scope';
import type { WorkAct } from './work';

export interface OperatorActProps {
  offered: WorkAct;
  /** What it is about, in words. */
  about: string;
  amount?: string | undefined;
  currency?: string | undefined;
  onDone(): void;
}

type Answer = Record<string, unknown>;

const SHOWN_MS = 10_000;

const RESOLUTIONS = ['book', 'write_off', 'provider_corrects'] as const;
/** Of these the answer may be sent without one. */
const OPTIONAL = new Set<string>(['processorReference']);
/** What makes money move, or says that it did. */
const GRAVE = new Set(['cancel', 'resolve', 'mark_returned', 'return', 'match', 'confirm']);

/** An act that the API offers: asks first, with what it needs, and shows what became of it. */
export function OperatorAct({ offered, about, amount, currency, onDone }: OperatorActProps) {
  const { act, path, body, asks, outcomes } = offered;
  const translate = useTranslate();
  const notify = useNotify();
  const say = useAmountText();
  const scope = useScope();
  /** The order that is watched until its flow has taken it. */
  const ordered = useRef<string>(undefined);
  const [given, setGiven] = useState<Record<string, string>>({});
  const label = translate(`operations.acts.${act}`, { _: act.replaceAll('_', ' ') });
  const of = amount && currency ? say(amount, currency) : '';
  const value = (name: string) => given[name] ?? (name === 'tenantId' ? (scope.tenantId ?? '') : '');
  const values = Object.fromEntries(asks.map((name) => [name, value(name).trim()]).filter(([, text]) => text !== ''));
  const choices: Record<string, readonly string[] | undefined> = { outcome: outcomes, resolution: RESOLUTIONS };
  return (
    <Act<Answer>
      id={`${path}/${act}/${about}`}
      label={label}
      title={`${label}: ${about}`}
      color={GRAVE.has(act) ? 'warning' : 'primary'}
      question={
        <>
          {of && <strong>{of}. </strong>}
          {translate(`operations.questions.${act}`, { _: label })}
        </>
      }
      values={values}
      send={async ({ idempotencyKey }) => {
        const sent = { ...body, ...values };
        const response = await request('post', path, {
          ...(Object.keys(sent).length > 0 && { body: sent }),
          idempotencyKey,
        });
        return (await response.json()) as Answer;
      }}
      outcomeOf={(answer) => {
        ordered.current = answer.interventionId as string | undefined;
        return outcomeOf(answer, translate);
      }}
      poll={async (signal) => {
        const path = { interventionId: ordered.current! };
        return (await api.get('/ops/1.0.0/interventions/{interventionId}', { path, signal })) as Answer;
      }}
      onDone={(answer) => {
        // The act may not be possible any more: its button goes with the next reading, and the dialog with it.
        const { state, text } = outcomeOf(answer, translate);
        notify(text ?? translate('operations.done', { act: label }), {
          type: state === 'done' ? 'success' : 'error',
          autoHideDuration: SHOWN_MS,
        });
        onDone();
      }}
    >
      {asks.length === 0
        ? undefined
        : asks.map((name) => (
            <TextField
              key={name}
              select={choices[name] !== undefined}
              label={translate(`operations.asks.${name}`)}
              helperText={name === 'reason' ? translate('console.act.reasonHelp') : undefined}
              value={value(name)}
              onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
              required={!OPTIONAL.has(name)}
              fullWidth
              margin="dense"
              multiline={name === 'reason'}
              slotProps={{ htmlInput: { maxLength: name === 'reason' ? 500 : 200 } }}
            >
              {choices[name]?.map((choice) => (
                <MenuItem key={choice} value={choice}>
                  {translate(`operations.choices.${choice}`)}
                </MenuItem>
              ))}
            </TextField>
          ))}
    </Act>
  );
}

/** Orders are carried out by flows; everything else is done when it is answered. */
function outcomeOf(answer: Answer, translate: (key: string, options?: object) => string): Outcome {
  if (answer.interventionId === undefined) return { state: 'done' };
  const detail = String(answer.detail ?? '');
  switch (answer.status) {
    case 'ordered':
      return { state: 'pending' };
    case 'refused':
      return { state: 'refused', text: translate('console.act.refused', { reason: detail }) };
    case 'proposed':
      return { state: 'done', text: translate('operations.proposed') };
    default:
      return { state: 'done', text: detail };
  }
}
