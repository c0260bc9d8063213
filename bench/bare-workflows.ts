import { condition, defineSignal, proxyLocalActivities, setHandler } from '@temporalio/workflow';

const local = proxyLocalActivities<{ step(key: string): Promise<string> }>({ startToCloseTimeout: '10 seconds' });
const resume = defineSignal('resume');

/** The cheapest shape there is with one local activity: one workflow task. */
export async function oneStep(key: string): Promise<void> {
  await local.step(key);
}

/** The cheapest shape of a 3-D Secure payment: one local activity, a signal as the callback, another local activity. */
export async function twoSteps(key: string): Promise<void> {
  let resumed = false;
  setHandler(resume, () => {
    resumed = true;
  });
  await local.step(key);
  await condition(() => resumed);
  await local.step(`${key}/done`);
}

/** The cheapest shape of a flow that goes on waiting: one local activity, then a signal that may never come. */
export async function waits(key: string): Promise<void> {
  let resumed = false;
  setHandler(resume, () => {
    resumed = true;
  });
  await local.step(key);
  await condition(() => resumed);
}
