import { activityInfo, Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

const EVERY_MS = 2_000;

/**
 * Tells the engine that the process of a running activity is alive. Every activity with a `heartbeatTimeout` needs it: the
 * engine gives the activity to another process soon after its own has died.
 */
export function heartbeats(): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      if (!activityInfo().heartbeatTimeoutMs) return next(input);
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), EVERY_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(beat);
      }
    },
  };
}
