import type { PaymentView } from '../../../../../src/domain/flows';
import { FirstSteps } from '../../../../../src/money/payments/steps/first-steps';

const VIEW = { status: 'captured' } as PaymentView;

afterEach(() => jest.useRealTimers());

test('the flow of a payment begins its step, once: what tries again takes the step itself', async () => {
  const steps = new FirstSteps();
  const step = jest.fn(async () => VIEW);
  steps.offer('pay_1', step);
  expect(step).not.toHaveBeenCalled();
  await expect(steps.join('pay_1')).resolves.toBe(VIEW);
  expect(steps.join('pay_1')).toBeUndefined();
  await steps.begin('pay_1');
  expect(step).toHaveBeenCalledTimes(1);
});

test('a flow joins the step that its request has begun', async () => {
  const steps = new FirstSteps();
  const step = jest.fn(async () => VIEW);
  steps.offer('pay_1', step);
  const begun = steps.begin('pay_1');
  await expect(steps.join('pay_1')).resolves.toBe(VIEW);
  await begun;
  expect(step).toHaveBeenCalledTimes(1);
});

test('what a step fails with is for the flow; without one nobody hears of it', async () => {
  const steps = new FirstSteps();
  const gone = async () => Promise.reject(new Error('the database is away'));
  for (const id of ['pay_1', 'pay_2']) steps.offer(id, gone);
  const begun = [steps.begin('pay_1'), steps.begin('pay_2')];
  await expect(steps.join('pay_1')).rejects.toThrow('the database is away');
  await expect(Promise.all(begun)).resolves.toEqual([undefined, undefined]);
});

test('an offer is taken back for good, unless somebody has begun the step or its flow has come to it', async () => {
  const steps = new FirstSteps();
  const step = jest.fn(async () => VIEW);
  const [takeBack, ...others] = ['pay_1', 'pay_2', 'pay_3'].map((id) => steps.offer(id, step));
  expect(takeBack!()).toBe(true);
  expect(steps.join('pay_1')).toBeUndefined();
  expect(step).not.toHaveBeenCalled();
  await steps.begin('pay_2');
  await steps.join('pay_3');
  expect(others.map((other) => other())).toEqual([false, false]);
});

test('an old offer is not begun: another process may have sent the payment since', async () => {
  jest.useFakeTimers();
  const steps = new FirstSteps();
  const step = jest.fn(async () => VIEW);
  const takeBack = steps.offer('pay_1', step);
  jest.advanceTimersByTime(5_001);
  await steps.begin('pay_1');
  expect(steps.join('pay_1')).toBeUndefined();
  expect(step).not.toHaveBeenCalled();
  // The engine may take longer to refuse its flow than the offer is kept.
  jest.advanceTimersByTime(60_000);
  expect(takeBack()).toBe(true);
});

test('a flow that comes after the end of the step has its view, and one that never comes leaves nothing behind', async () => {
  jest.useFakeTimers();
  const steps = new FirstSteps();
  for (const id of ['pay_1', 'pay_2']) {
    steps.offer(id, async () => VIEW);
    await steps.begin(id);
  }
  await expect(steps.join('pay_1')).resolves.toBe(VIEW);
  jest.advanceTimersByTime(10_000);
  expect(steps.join('pay_2')).toBeUndefined();
});
