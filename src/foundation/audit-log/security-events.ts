import type { Knex } from 'knex';

/** What is counted is written once in so long. */
const WINDOW_MS = 60_000;
/** Kinds, sources and details that are told apart within a window. What comes beyond is counted by kind alone. */
const MOST_KEYS = 1_000;
/** Of these so many are written at once, so that operators see the first of an attack; the others with the counts. */
const AT_ONCE = 20;

interface Counted {
  kind: string;
  source: string | null;
  detail: Record<string, string>;
  /** Not written down yet. */
  more: number;
}

/**
 * What the platform refused to believe, for operators: the first few of a minute are written at once, further ones are
 * counted by source and written together when it ends. So nobody fills a table with what is refused. A process that dies
 * loses the counts of its last minute.
 */
export class SecurityEvents {
  private counted = new Map<string, Counted>();
  private timer?: NodeJS.Timeout;

  /** `system`: the pool of the system role. */
  constructor(
    private readonly system: Knex,
    private readonly windowMs = WINDOW_MS,
  ) {}

  /** Never rejects: what cannot be written down is still refused. */
  async note(kind: string, source: string, detail: Record<string, string>): Promise<void> {
    const isOwn = this.counted.size < MOST_KEYS;
    const key = JSON.stringify([kind, source, detail]);
    const known = this.counted.get(key) ?? (isOwn ? undefined : this.counted.get(kind));
    if (known) {
      known.more += 1;
      return;
    }
    const isWritten = this.counted.size < AT_ONCE;
    const more = isWritten ? 0 : 1;
    const counted: Counted = isOwn ? { kind, source, detail, more } : { kind, source: null, detail: {}, more };
    this.counted.set(isOwn ? key : kind, counted);
    if (!this.timer) {
      this.timer = setTimeout(() => void this.write(), this.windowMs);
      this.timer.unref();
    }
    if (isWritten) await this.insert([counted]).catch(() => undefined);
  }

  /** Writes what was counted, and begins anew. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const repeated = [...this.counted.values()].filter(({ more }) => more > 0);
    this.counted = new Map();
    if (repeated.length > 0) await this.insert(repeated).catch(() => undefined);
  }

  private async insert(events: Counted[]): Promise<void> {
    const rows = events.map(({ kind, source, detail, more }) => ({
      kind,
      source,
      detail: JSON.stringify(more > 1 ? { ...detail, count: more } : detail),
    }));
    await this.system('security_events').insert(rows);
  }
}
