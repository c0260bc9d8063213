import { DomainError } from '../../../domain/errors';

/** Whose request it is. */
export interface Asker {
  tenant: string;
  /** One of the tenant's; empty for its people and customers. */
  organization: string;
}

export interface TurnsOptions {
  /** Requests that are worked on at a time. */
  atOnce: number;
  /** How long a request waits for its turn, in milliseconds. */
  waitMs: number;
}

/** A turn ends after so long for the others: who works longer waits for somebody else, such as a processor. */
const LONGEST_TURN_MS = 1_000;
const LONGEST_BESIDE_OTHERS_MS = 100;
/** The part of the turns that one tenant may have beside others. */
const SHARE_BESIDE_OTHERS = 1 / 16;
/** A tenant whose last request is as old shares nothing with the others any more. */
const FORGOTTEN_AFTER_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/** How many turns the mean of their lengths remembers. */
const REMEMBERED_TURNS = 64;

type Begin = () => void;

class Tenant {
  working = 0;
  seenAt = 0;
  waiting = 0;
  /** Who waits, by organization. The one whose turn is next stands first. */
  private readonly lines = new Map<string, Set<Begin>>();

  get waits(): boolean {
    return this.lines.size > 0;
  }

  add(organization: string, begin: Begin): void {
    this.waiting += 1;
    const line = this.lines.get(organization);
    if (line) line.add(begin);
    else this.lines.set(organization, new Set([begin]));
  }

  remove(organization: string, begin: Begin): void {
    const line = this.lines.get(organization);
    if (line?.delete(begin)) this.waiting -= 1;
    if (line?.size === 0) this.lines.delete(organization);
  }

  /** Takes the first of the organization whose turn it is, which then stands behind the others. */
  next(): Begin {
    const [organization, line] = this.lines.entries().next().value!;
    const begin = line.values().next().value!;
    line.delete(begin);
    this.waiting -= 1;
    this.lines.delete(organization);
    if (line.size > 0) this.lines.set(organization, line);
    return begin;
  }
}

/**
 * Fair turns: only so many requests are worked on at a time. The others wait, those of a tenant apart from those of
 * others: tenants take turns, and within a tenant its organizations. One that floods waits behind itself. Beside others a
 * tenant has a sixteenth of the turns, and shorter ones: then it gets as many requests a second as leave the machine fast for
 * them. It works in memory, for one process.
 */
export class Turns {
  /** Those seen lately. Who was served longest ago stands first. */
  private readonly tenants = new Map<string, Tenant>();
  private working = 0;
  private lookedAt = 0;
  /** How long a turn takes in the mean, in milliseconds. */
  private turnMs = 0;

  constructor(private readonly options: TurnsOptions) {}

  /**
   * Does `work` when its turn comes. Where it would not come in time, or does not, it throws: `unavailable` when the process
   * has more to do than it can, `rate_limited` when others are to have their turns.
   */
  async run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    const tenant = this.tenantOf(asker.tenant);
    if (this.working >= this.options.atOnce || tenant.working >= this.most) await this.wait(tenant, asker.organization);
    else this.begin(tenant);
    const begunAt = performance.now();
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      this.turnMs += (performance.now() - begunAt - this.turnMs) / REMEMBERED_TURNS;
      this.end(tenant);
    };
    const timer = setTimeout(end, this.isShared ? LONGEST_BESIDE_OTHERS_MS : LONGEST_TURN_MS).unref();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  /** The turns that one tenant may have. */
  private get most(): number {
    const { atOnce } = this.options;
    return this.isShared ? Math.ceil(atOnce * SHARE_BESIDE_OTHERS) : atOnce;
  }

  private get isShared(): boolean {
    return this.tenants.size > 1;
  }

  private refusal(): DomainError {
    const retryAfter = { retryAfterSeconds: 1 };
    return this.isShared
      ? new DomainError('rate_limited', 'Too many requests wait. Send fewer at a time', retryAfter)
      : new DomainError('unavailable', 'The platform is busy. Nothing was done: try again shortly', retryAfter);
  }

  private wait(tenant: Tenant, organization: string): Promise<void> {
    // Who would wait too long hears of it at once.
    const expectedMs = ((tenant.waiting + 1) * this.turnMs) / this.most;
    if (expectedMs > this.options.waitMs) throw this.refusal();
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        tenant.remove(organization, begin);
        reject(this.refusal());
      }, this.options.waitMs).unref();
      tenant.add(organization, begin);
    });
  }

  private begin(tenant: Tenant): void {
    this.working += 1;
    tenant.working += 1;
  }

  private end(tenant: Tenant): void {
    this.working -= 1;
    tenant.working -= 1;
    for (let next = this.next(); next; next = this.next()) {
      this.begin(next);
      next.next()();
    }
  }

  /** Of those who wait, the tenant that has the fewest turns, and of these the one served longest ago. */
  private next(): Tenant | undefined {
    if (this.working >= this.options.atOnce) return undefined;
    let chosen: string | undefined;
    let fewest = this.most;
    for (const [id, { waits, working }] of this.tenants) {
      if (!waits || working >= fewest) continue;
      fewest = working;
      chosen = id;
    }
    if (chosen === undefined) return undefined;
    const tenant = this.tenants.get(chosen)!;
    this.tenants.delete(chosen);
    this.tenants.set(chosen, tenant);
    return tenant;
  }

  private tenantOf(id: string, now = performance.now()): Tenant {
    if (now - this.lookedAt >= LOOK_EVERY_MS) this.forget(now);
    const tenant = this.tenants.get(id) ?? new Tenant();
    this.tenants.set(id, tenant);
    tenant.seenAt = now;
    return tenant;
  }

  private forget(now: number): void {
    this.lookedAt = now;
    for (const [id, { seenAt, working, waits }] of this.tenants)
      if (working === 0 && !waits && now - seenAt > FORGOTTEN_AFTER_MS) this.tenants.delete(id);
  }
}

/** The turns of all requests: reading goes on while what acts waits for the engine. */
export class RequestTurns {
  private readonly reading: Turns;
  private readonly acting: Turns;

  constructor(options: TurnsOptions) {
    this.reading = new Turns(options);
    this.acting = new Turns(options);
  }

  /** Does a request when its turn comes. Throws as `Turns.run` does. */
  run<T>(method: string, asker: Asker, work: () => Promise<T>): Promise<T> {
    return (method === 'GET' ? this.reading : this.acting).run(asker, work);
  }
}
