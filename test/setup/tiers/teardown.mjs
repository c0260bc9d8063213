/** What this run has started. On the global object: jest loads this file anew for each tier. */
globalThis.stopsOfTestRun ??= [];

/** Has this run, however it ends, stop what a tier has started. */
export function stopAtTheEnd(stop) {
  if (globalThis.stopsOfTestRun.push(stop) > 1) return;
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => teardown().finally(() => process.exit(130)));
}

/** Stops all of it, the last first. */
export default async function teardown() {
  for (const stop of globalThis.stopsOfTestRun.splice(0).reverse()) await stop();
}
