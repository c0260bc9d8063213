import { createLog } from '../src/foundation/log/log';
import { runChild } from '../src/foundation/process/child';
import { loadServiceConfig } from '../src/foundation/process/service-config';
import { installRuntime } from '../src/foundation/temporal/runtime';
import { keepSchedules, startRounds } from './chores';
import { createNotificationWorker, createWorker } from './create';
import { openPlatform } from './platform';

runChild('tillway-worker', async () => {
  const settings = await loadServiceConfig();
  const log = createLog('tillway-worker', settings.logLevel);
  installRuntime(log);
  const platform = await openPlatform(settings, 'tillway-worker', log);
  const { config } = platform;
  const worker = await createWorker(config, platform.engine, platform, { embedded: false });
  const deliverer = await createNotificationWorker(config, platform.engine, platform.notifications.couriers);
  const running = Promise.all([worker.run(), deliverer.run()]);
  running.catch((error: Error) => {
    log.fatal({ error: error.name }, 'the worker stopped; starting anew');
    process.exit(1);
  });
  await keepSchedules(config, platform);
  await platform.notifications.dispatch.listen(platform.directUrl);
  const stopRounds = startRounds(config, platform, log);
  log.info('worker polls for tasks');
  return async () => {
    platform.notifications.couriers.stop();
    worker.shutdown();
    deliverer.shutdown();
    await Promise.all([stopRounds(), running]);
    await platform.close();
  };
});
