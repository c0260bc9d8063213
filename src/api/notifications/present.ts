import type { EndpointRow } from '../../edge/notifications/endpoint';
import type { NotificationWithAttempts } from '../../edge/notifications/service';

export function presentNotification(notification: NotificationWithAttempts): Record<string, unknown> {
  return {
    notificationId: notification.id,
    type: notification.type,
    paymentId: notification.payment_id ?? undefined,
    subjectId: notification.subject_id ?? notification.payment_id ?? undefined,
    endpointId: notification.endpoint_id ?? undefined,
    terminalId: notification.terminal_id ?? undefined,
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

/** An endpoint without its secret. */
export function presentEndpoint(endpoint: EndpointRow): Record<string, unknown> {
  return {
    endpointId: endpoint.id,
    url: endpoint.url,
    events: endpoint.events ?? [],
    description: endpoint.description ?? undefined,
    status: endpoint.status,
    createdAt: endpoint.created_at,
    updatedAt: endpoint.updated_at,
  };
}
