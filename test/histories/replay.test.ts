import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { WORKFLOW } from '../../src/domain/flows';
import { createDataConverter } from '../../src/foundation/temporal/data-converter';
import { readBundle } from '../../src/foundation/temporal/engine';
import { projectRoot } from '../setup/project';
import { HISTORY_CODEC_KEYS } from './keys';

/**
 * Workflows that run while a new version is deployed go on in the new code: each branch, as it ran once, has to come out
 * the same. A failure here means that a change needs `patched`, or new histories where nothing runs in production yet.
 */

Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined) });

const names = readdirSync(__dirname).filter((name) => name.endsWith('.json'));
// biome-ignore lint/suspicious/noExplicitAny: the JSON form of temporal.api.history.v1.History
const read = (name: string): any => JSON.parse(readFileSync(join(__dirname, name), 'utf8'));
const replay = (history: ReturnType<typeof read>) =>
  Worker.runReplayHistory(
    {
      workflowBundle: readBundle(join(projectRoot, 'dist/workflow-bundle.js')),
      dataConverter: createDataConverter(HISTORY_CODEC_KEYS),
    },
    temporal.api.history.v1.History.fromObject(history),
    // Payloads are bound to it.
    history.events[0].workflowExecutionStartedEventAttributes.workflowId,
  );
const typeOf = (name: string): string => read(name).events[0].workflowExecutionStartedEventAttributes.workflowType.name;

test.each(names)('%s comes out the same', async (name) => {
  await replay(read(name));
});

test('every workflow has at least one history', () => {
  expect([...new Set(names.map(typeOf))].sort()).toEqual(Object.values(WORKFLOW).sort());
});

test('other steps are noticed', async () => {
  const history = read('refund.json');
  history.events[0].workflowExecutionStartedEventAttributes.workflowType.name = WORKFLOW.lateCallback;
  await expect(replay(history)).rejects.toMatchObject({ name: 'ReplayError' });
});

test('a step that is no longer taken is noticed', async () => {
  const history = read('payment-captured.json');
  history.events = history.events
    .filter(({ eventType }: { eventType: string }) => eventType !== 'EVENT_TYPE_MARKER_RECORDED')
    .map((event: object, n: number) => ({ ...event, eventId: `${n + 1}` }));
  await expect(replay(history)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
});
