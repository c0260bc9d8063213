import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Listener } from '../../foundation/db/listener';
import type { Engine } from '../../foundation/temporal/engine';
import { signalFlow } from '../../foundation/temporal/flows';
import type { Organizations } from '../../people/identity/organizations';
import type { Couriers } from './courier';
import { NOTIFICATIONS_FLOW } from './flow';
import type { Endpoint, NotificationQueue } from './queue';

const CHANNEL = 'tillway_notification';
/** An endpoint's flow is signalled once in this time at most: whatever came meanwhile is one signal. */
const SIGNAL_EVERY_MS = 1_000;
/** What should have been sent for so long was missed. */
const LATE_MS = 5_000;

/** Has what is queued delivered: by a round that runs in this process, else by the endpoint's flow. */
export class NotificationDispatch {
  private readonly listener = new Listener(
    CHANNEL,
    (payload) => this.heard(payload),
    () => void this.sweep().catch(() => undefined),
  );
  /** Endpoints signalled a moment ago; true when there is more to tell since. */
  private readonly signalled = new Map<string, boolean>();

  constructor(
    private readonly engine: Engine,
    private readonly queue: NotificationQueue,
    private readonly couriers: Couriers,
    private readonly organizations: Organizations,
    private readonly log: Logger,
  ) {}

  /** Starts hearing what is queued anywhere. */
  listen(directUrl: string): Promise<void> {
    return this.listener.start(directUrl);
  }

  /** Signals the flows of endpoints whose notifications nobody has sent in time. Answers how many. */
  async sweep(): Promise<number> {
    const endpoints = await this.queue.overdueEndpoints(LATE_MS);
    for (const endpoint of endpoints) if (!this.couriers.ring(endpoint)) await this.signal(endpoint);
    return endpoints.length;
  }

  async close(): Promise<void> {
    await this.listener.close();
  }

  /** `<organization id> <origin>`, as notification_enqueue says it. */
  private heard(payload: string): void {
    const [organizationId, origin] = payload.split(' ');
    if (!organizationId || !origin) return;
    const endpoint = { organizationId, endpoint: origin };
    if (this.couriers.ring(endpoint)) return;
    if (this.signalled.has(payload)) this.signalled.set(payload, true);
    else void this.signalInTurn(payload, endpoint);
  }

  private async signalInTurn(key: string, endpoint: Endpoint): Promise<void> {
    do {
      this.signalled.set(key, false);
      await this.signal(endpoint).catch((error: Error) =>
        this.log.warn(
          { organization: endpoint.organizationId, error: error.name },
          'notifications are left to the round',
        ),
      );
      await sleep(SIGNAL_EVERY_MS, undefined, { ref: false });
    } while (this.signalled.get(key) && !this.couriers.ring(endpoint));
    this.signalled.delete(key);
  }

  private async signal({ organizationId, endpoint }: Endpoint): Promise<void> {
    const tenantId = await this.organizations.tenantIdOf(organizationId);
    await signalFlow(this.engine, NOTIFICATIONS_FLOW, { organizationId, endpoint, tenantId });
  }
}
