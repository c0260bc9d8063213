import { Context } from '@temporalio/activity';
import type { Couriers } from '../src/notifications/courier';
import type { NotificationsInput, NotificationsView } from '../workflows/contract';

const HEARTBEAT_EVERY_MS = 2_000;

/** Delivery of notifications, on a task queue of its own: a merchant's slow server holds up nothing else. */
export function notificationActivities(couriers: Couriers) {
  /** Delivers what is due to one endpoint; answers what is left once nothing has been due for a moment. */
  async function deliverNotifications(input: NotificationsInput): Promise<NotificationsView> {
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), HEARTBEAT_EVERY_MS);
    try {
      const { waiting, oldestAt, nextInMs } = await couriers.deliver(input, context.cancellationSignal);
      return { waiting, oldestAtMs: oldestAt?.getTime(), nextInMs };
    } finally {
      clearInterval(beat);
    }
  }

  return { deliverNotifications };
}
