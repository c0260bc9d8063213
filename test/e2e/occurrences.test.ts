import { Client, Connection } from '@temporalio/client';
import { FREQUENCIES, type Recurrence, specOf } from '../../src/money/p2p/occurrences';
import { sharedStack } from '../setup/stack';
import { days, from } from '../unit/money/p2p/recurrences';

/** Our reckoning of occurrences against the engine's. */

describe('the engine', () => {
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    connection = await Connection.connect({ address: sharedStack().credentials.temporalAddress });
    client = new Client({ connection });
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
