import { createHash } from 'node:crypto';
import { type NotificationsInput, workflowId } from '../../domain/flows';
import type { Flow } from '../../foundation/temporal/flows';
import type { Endpoint } from './queue';

/** A merchant's server, and whose it is. */
export interface Destination extends Endpoint {
  tenantId: string;
}

/** What one merchant server is to be told. Its deliveries have a task queue of their own. */
export const NOTIFICATIONS_FLOW: Flow<Destination, NotificationsInput> = {
  workflow: 'notifications',
  queue: 'flows',
  id: flowOf,
  input: ({ organizationId, endpoint }) => ({ organizationId, endpoint }),
  summary: ({ endpoint }) => `notifications to ${endpoint}`,
  attributes: ({ tenantId, organizationId }) => ({
    kind: 'notifications',
    tenant: tenantId,
    organization: organizationId,
  }),
  runs: 'again',
  signal: 'proceed',
  unheard: { none: 'NotificationDispatch.sweep finds them: a delivery that runs in its own process needs no signal' },
  open: { none: 'what a lost flow has not delivered stays overdue, and NotificationDispatch.sweep finds it' },
};

/** The id of the workflow that delivers to an endpoint. */
export function flowOf({ organizationId, endpoint }: Endpoint): string {
  const shortHash = createHash('sha256').update(endpoint).digest('hex').slice(0, 12);
  return workflowId.notifications(organizationId, shortHash);
}
