import { Client, Connection } from '@temporalio/client';
import {
  FREQUENCIES,
  type Frequency,
  nextOccurrence,
  type Recurrence,
  specOf,
} from '../../../../src/money/p2p/occurrences';
import { testNamespace, testTemporalAddress } from '../../../setup/environment';

const days = (recurrence: Recurrence, count: number): string[] => {
  const found: string[] = [];
  for (let after: Date | undefined = new Date(0); found.length < count; ) {
    after = nextOccurrence(recurrence, after);
    if (!after) break;
    found.push(after.toISOString().replace('T10:30:15.000Z', ''));
  }
  return found;
};
const from = (day: string, frequency: Frequency, endsAt?: string): Recurrence => ({
  frequency,
  startsAt: new Date(`${day}T10:30:15Z`),
  ...(endsAt && { endsAt: new Date(endsAt) }),
});

test.each<[Frequency, string, string[]]>([
  ['once', '2031-01-31', ['2031-01-31']],
  ['daily', '2031-02-27', ['2031-02-27', '2031-02-28', '2031-03-01']],
  ['weekly', '2031-12-24', ['2031-12-24', '2031-12-31', '2032-01-07']],
  ['fortnightly', '2031-12-24', ['2031-12-24', '2032-01-07', '2032-01-21']],
  ['monthly', '2031-12-31', ['2031-12-31', '2032-01-31', '2032-02-29', '2032-03-31', '2032-04-30']],
  ['quarterly', '2031-11-30', ['2031-11-30', '2032-02-29', '2032-05-30', '2032-08-30', '2032-11-30', '2033-02-28']],
  ['yearly', '2032-02-29', ['2032-02-29', '2033-02-28', '2034-02-28', '2035-02-28', '2036-02-29']],
])('%s from %s', (frequency, start, expected) => {
  expect(days(from(start, frequency), expected.length)).toEqual(expected);
});

test('the end is the last moment at which one may come', () => {
  expect(days(from('2031-01-01', 'daily', '2031-01-02T10:30:15Z'), 9)).toEqual(['2031-01-01', '2031-01-02']);
  expect(days(from('2031-01-01', 'daily', '2031-01-02T10:30:14Z'), 9)).toEqual(['2031-01-01']);
});

describe('the engine', () => {
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    connection = await Connection.connect({ address: testTemporalAddress() });
    client = new Client({ connection, namespace: testNamespace() });
  });
  afterAll(() => connection?.close());

  /** The next times at which the engine would act. */
  async function actionsOf(scheduleId: string, recurrence: Recurrence): Promise<string[]> {
    const handle = await client.schedule.create({
      scheduleId,
      spec: specOf(recurrence),
      action: { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none' },
    });
    try {
      const { info } = await handle.describe();
      return info.nextActionTimes.map((at) => at.toISOString().replace('T10:30:15.000Z', ''));
    } finally {
      await handle.delete();
    }
  }

  test.each(FREQUENCIES.flatMap((frequency) => [31, 29].map((day) => [frequency, day] as const)))(
    '%s from the %ith has the same times',
    async (frequency, day) => {
      const recurrence = from(`2035-12-${day}`, frequency, '2041-01-01T00:00:00Z');
      const actions = await actionsOf(`occurrences-${frequency}-${day}`, recurrence);
      expect(actions.length).toBeGreaterThan(0);
      expect(actions).toEqual(days(recurrence, actions.length));
    },
  );

  test('acts at start and end themselves', async () => {
    const recurrence = from('2035-12-31', 'daily', '2036-01-02T10:30:15Z');
    expect(await actionsOf('occurrences-bounds', recurrence)).toEqual(['2035-12-31', '2036-01-01', '2036-01-02']);
  });
});
