import { Context } from '@temporalio/activity';
import type { NotificationsInput, NotificationsView } from '../src/domain/flows';
import type { Couriers } from '../src/edge/notifications/courier';

/** Delivery of notifications, on a task queue of its own: a slow merchant server delays nothing else. */
export function notificationActivities(couriers: Couriers) {
  /** Delivers what is due to one endpoint; answers what is left once nothing has been due for a moment. */
  async function deliverNotifications(input: NotificationsInput): Promise<NotificationsView> {
    const { waiting, oldestAt, nextInMs } = await couriers.deliver(input, Context.current().cancellationSignal);
    return { waiting, oldestAtMs: oldestAt?.getTime(), nextInMs };
  }

  return { deliverNotifications };
}
