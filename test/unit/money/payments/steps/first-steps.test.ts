import type { PaymentView } from '../../../../../src/domain/flows';
import { FirstSteps } from '../../../../../src/money/payments/steps/first-steps';

const VIEW = { status: 'captured' } as PaymentView;

afterEach(() => jest.useRealTimers());

test('a flow joins the step that its request takes, once: what tries again takes the step itself', async () => {
  const steps = new FirstSteps();
  const step = jest.fn(async () => VIEW);
  const taken = steps.take('pay_1', step);
  await expect(steps.join('pay_1')).resolves.toBe(VIEW);
  await taken;
  expect(steps.join('pay_1')).toBeUndefined();
  expect(step).toHaveBeenCalledTimes(1);
});

test('what a step fails with is for the flow; without one nobody hears of it', async () => {
  const steps = new FirstSteps();
  const gone = async () => Promise.reject(new Error('the database is away'));
  const taken = [steps.take('pay_1', gone), steps.take('pay_2', gone)];
  await expect(steps.join('pay_1')).rejects.toThrow('the database is away');
  await expect(Promise.all(taken)).resolves.toEqual([undefined, undefined]);
});

test('a flow that comes after the end of the step has its view, and one that never comes leaves nothing behind', async () => {
  jest.useFakeTimers();
  const steps = new FirstSteps();
  await steps.take('pay_1', async () => VIEW);
  await steps.take('pay_2', async () => VIEW);
  await expect(steps.join('pay_1')).resolves.toBe(VIEW);
  jest.advanceTimersByTime(10_000);
  expect(steps.join('pay_2')).toBeUndefined();
});
