import { loadConfig } from '../src/config';
import { createLog } from '../src/log';
import { openPlatform } from '../src/platform';
import { scheduleReconciliation } from '../src/reconciliation/start';
import { runChild } from '../src/runtime/child';
import { scheduleCardExpiry } from '../src/saved-cards/expiry-schedule';
import { installRuntime } from '../src/temporal/runtime';
import { createNotificationWorker, createWorker } from './create';
import { startRounds } from './rounds';

runChild('tillway-worker', async () => {
  const config = loadConfig();
  const log = createLog('tillway-worker', config.logLevel);
  installRuntime(log);
  const platform = await openPlatform(config, 'tillway-worker', log);
  const worker = await createWorker(config, platform.engine, platform.dependencies, { embedded: false });
  const deliverer = await createNotificationWorker(config, platform.engine, platform.notifications.couriers);
  const running = Promise.all([worker.run(), deliverer.run()]);
  running.catch((error: Error) => {
    log.fatal({ error: error.name }, 'the worker stopped; starting anew');
    process.exit(1);
  });
  await scheduleReconciliation(
    platform.engine,
    platform.connectors.all().map(({ processor }) => processor),
    config.timers.reconciliationEveryMs,
  );
  await scheduleCardExpiry(platform.engine, config.timers.cardExpiryEveryMs);
  await platform.notifications.dispatch.listen(platform.databaseUrl);
  const stopRounds = startRounds(config, platform, log);
  log.info('worker polls for tasks');
  return async () => {
    await stopRounds();
    platform.notifications.couriers.stop();
    worker.shutdown();
    deliverer.shutdown();
    await running;
    await platform.close();
  };
});
