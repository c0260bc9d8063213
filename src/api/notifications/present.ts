import type { NotificationWithAttempts } from '../../edge/notifications/service';

export function presentNotification(notification: NotificationWithAttempts): Record<string, unknown> {
  return {
    notificationId: notification.id,
    type: notification.type,
    paymentId: notification.payment_id ?? undefined,
    terminalId: notification.terminal_id,
    url: notification.url,
    state: notification.state,
    attempts: notification.tries.map(({ at, status, error, duration_ms }) => ({
      at,
      status: status ?? undefined,
      error: error ?? undefined,
      durationMs: duration_ms,
    })),
    nextAttemptAt: notification.next_attempt_at ?? undefined,
    createdAt: notification.created_at,
    deliveredAt: notification.delivered_at ?? undefined,
  };
}

export function presentWholeNotification(notification: NotificationWithAttempts): Record<string, unknown> {
  return { ...presentNotification(notification), body: JSON.parse(notification.body) };
}
