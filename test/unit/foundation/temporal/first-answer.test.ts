import { FirstAnswers } from '../../../../src/foundation/temporal/first-answer';

const LONG_MS = 600_000;

test('who waits hears the news', async () => {
  const answers = new FirstAnswers();
  const waits = answers.wait('pay_1', LONG_MS);
  answers.tell('pay_1', { status: 'captured' });
  await expect(waits).resolves.toEqual({ status: 'captured' });
});

test('a process that is to end lets nobody wait on: who waits, and who comes later, reads the row', async () => {
  const answers = new FirstAnswers();
  const waits = [answers.wait('pay_1', LONG_MS), answers.wait('pay_1', LONG_MS), answers.wait('pay_2', LONG_MS)];
  answers.endIn(0);
  await expect(Promise.all(waits)).resolves.toEqual([undefined, undefined, undefined]);
  await expect(answers.wait('pay_3', LONG_MS)).resolves.toBeUndefined();
  expect(answers.isAwaited('pay_1')).toBe(false);
});
