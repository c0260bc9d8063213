import { Box } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import type { Answer } from '../server/api';
import { STATE_TONES } from './callback-states';
import { OperatorAct } from './operator-act';

type Whole = Answer<'/ops/1.0.0/callbacks/{callbackId}'>;

/** One callback as it came, byte for byte, card numbers hidden. */
export default function CallbackPage() {
  const translate = useTranslate();
  return (
    <RecordPage<Whole>
      titleOf={({ processor, type }) => `${processor}: ${type.replaceAll('_', ' ')}`}
      markOf={({ state }) => <Status value={state} tone={STATE_TONES[state]} />}
    >
      {(callback, refresh) => (
        <>
          <Section title={translate('operations.callback.facts')}>
            <Facts>
              <Fact name={translate('console.record.id')}>
                <Copyable text={callback.callbackId} />
              </Fact>
              <Fact name={translate('operations.callback.reference')}>
                {callback.reference && <Copyable text={callback.reference} />}
              </Fact>
              <Fact name={translate('operations.callback.event')}>{callback.eventId}</Fact>
              <Fact name={translate('operations.callback.receiver')}>{callback.receiver}</Fact>
              <Fact name={translate('operations.callback.note')}>
                {callback.note && <span lang="en">{callback.note}</span>}
              </Fact>
              <Fact name={translate('operations.callback.received')}>
                <Instant at={callback.receivedAt} />
              </Fact>
              <Fact name={translate('operations.callback.handled')}>
                {callback.handledAt && <Instant at={callback.handledAt} />}
              </Fact>
              <Fact name={translate('operations.callback.attempts')}>{String(callback.attempts)}</Fact>
            </Facts>
            <Box sx={{ display: 'flex', gap: 1, mt: 2 }}>
              {actsOn(callback).map((act) => (
                <OperatorAct
                  key={act}
                  offered={{ act, path: `/ops/1.0.0/callbacks/${callback.callbackId}/${act}`, asks: ['reason'] }}
                  about={callback.callbackId}
                  onDone={refresh}
                />
              ))}
            </Box>
          </Section>
          <Section title={translate('operations.callback.body')}>
            <Facts>
              <Fact name={translate('operations.callback.bytes')}>{String(callback.bytes)}</Fact>
              <Fact name="SHA-256">{callback.sha256}</Fact>
              <Fact name={translate('operations.callback.hidden')}>{String(callback.hiddenCardNumbers)}</Fact>
            </Facts>
            <Raw label={translate('operations.callback.rawBody')}>{callback.body ?? callback.bodyBase64 ?? ''}</Raw>
          </Section>
          {callback.headers && (
            <Section title={translate('operations.callback.headers')}>
              <Raw label={translate('operations.callback.rawHeaders')}>
                {Object.entries(callback.headers)
                  .map(([name, value]) => `${name}: ${String(value)}`)
                  .join('\n')}
              </Raw>
            </Section>
          )}
        </>
      )}
    </RecordPage>
  );
}

function actsOn({ state }: Whole): string[] {
  if (state === 'applied') return [];
  return state === 'flagged' ? ['replay', 'dismiss'] : ['replay'];
}

/** Bytes as they came. Scrolls by itself, by keyboard too. */
function Raw({ label, children }: { label: string; children: string }) {
  return (
    <Box
      component="pre"
      role="region"
      aria-label={label}
      // What scrolls has to be reached by keyboard.
      tabIndex={0}
      sx={{
        overflow: 'auto',
        whiteSpace: 'pre-wrap',
        overflowWrap: 'anywhere',
        maxHeight: 360,
        m: 0,
        mt: 1,
        p: 1.5,
        bgcolor: 'action.hover',
        fontSize: 13,
      }}
    >
      {children}
    </Box>
  );
}
