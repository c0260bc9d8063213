import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import type { ProcessorId } from '../../domain/connector';
import type { Books } from './books';
import type { Faults } from './faults';
import type { Notice, OutgoingCallback, QueuedCallback } from './notice';
import type { Timers } from './timers';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
const TRIES = 20;
/** A batch that is never announced is money that never settles: a day of tries. */
const BATCH_TRIES = 2_880;
const ANSWER_WITHIN_MS = 10_000;
const OVERTAKEN_WITHIN_MS = 5_000;

/** A callback as it went over the wire. */
export interface SentRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

interface CallbackSenderParts {
  books: Books;
  faults: Faults;
  timers: Timers;
  /** Address of the platform's API. */
  baseUrl: string;
  /** Certificate authority of an API with a certificate of its own making, PEM. */
  ca?: string;
  /** Translates and signs for one processor. */
  render: (notice: Notice, secret: string) => OutgoingCallback;
  secretOf: (processor: ProcessorId) => string;
  /** A secret of the same form that nobody else has. */
  strangersSecret: (processor: ProcessorId) => string;
  log: Logger;
}

/** Faults by which a try never reaches the other side. */
const LOST_BEFORE: ReadonlySet<string> = new Set(['close_before', 'status_400', 'status_429']);

/** Sends callbacks until they are answered with 200, with growing pauses, across restarts. */
export class CallbackSender {
  private readonly agent: Agent;
  private closed = false;

  constructor(private readonly parts: CallbackSenderParts) {
    this.agent = new Agent({ connections: 64, connect: { ca: parts.ca } });
  }

  /**
   * Queues a callback. Resolves when it was tried once, whatever came of it; never rejects.
   * @param delayMs how much later it is to be sent.
   */
  enqueue(notice: Notice, delayMs = 0): Promise<void> {
    const callback: QueuedCallback = { id: notice.eventId, notice, dueAt: Date.now() + delayMs };
    this.parts.books.save('callback', callback);
    return new Promise((resolve) => this.schedule(callback, 1, resolve));
  }

  /** Takes up after a restart what was not delivered. */
  resume(): void {
    for (const callback of this.parts.books.all('callback')) this.schedule(callback, 1);
  }

  /** Sends one callback about a payment now, `repeat` times at once, past the queue and its faults. */
  sendNow(notice: Notice, options: { forge: boolean; repeat: number }) {
    return this.sendRendered(notice.processor, (secret) => this.parts.render(notice, secret), options);
  }

  /**
   * The same with any callback.
   * @param forge signs with a secret nobody else has.
   */
  async sendRendered(
    processor: ProcessorId,
    render: (secret: string) => OutgoingCallback,
    { forge, repeat }: { forge: boolean; repeat: number },
  ) {
    const secretFor = forge ? this.parts.strangersSecret : this.parts.secretOf;
    const sent = this.requestOf(render(secretFor(processor)));
    const responses = await Promise.all(
      Array.from({ length: repeat }, () =>
        this.post(sent).then(
          (status) => ({ status }),
          (error: unknown) => ({ status: null, error: codeOf(error) }),
        ),
      ),
    );
    return { request: sent, responses };
  }

  /** What is under way is cut off, and sent again after the next start. */
  async close(): Promise<void> {
    this.closed = true;
    await this.agent.destroy();
  }

  private schedule(callback: QueuedCallback, attempt: number, tried?: () => void): void {
    this.parts.timers.after(callback.dueAt - Date.now(), () => {
      this.attempt(callback)
        .catch(() => false)
        .then((done) => {
          tried?.();
          if (!done) this.again(callback, attempt);
        });
    });
  }

  private again(callback: QueuedCallback, attempt: number): void {
    if (this.closed) return;
    const { books, log } = this.parts;
    const { event, processor } = callback.notice;
    if (attempt >= (event === 'settlement_batch' ? BATCH_TRIES : TRIES)) {
      log.warn({ event, processor, eventId: callback.id }, 'callback given up');
      books.remove('callback', callback.id);
      return;
    }
    callback.dueAt = Date.now() + Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS);
    this.schedule(callback, attempt + 1);
  }

  /** True when there is nothing left to do. */
  private async attempt({ id, notice }: QueuedCallback): Promise<boolean> {
    const { books, faults } = this.parts;
    const fault = faults.take(notice.processor, 'callback', notice.paymentReference ?? notice.reference);
    if (fault?.delayMs) await sleep(fault.delayMs);
    if (fault && LOST_BEFORE.has(fault.fault)) return false;
    if (fault?.fault === 'drop') {
      books.remove('callback', id);
      return true;
    }
    if (fault?.fault === 'reorder') await faults.overtaken(notice.processor, 'callback', OVERTAKEN_WITHIN_MS);
    const sent = this.requestFor(notice, this.parts.secretOf(notice.processor));
    const statuses = await Promise.all(
      Array.from({ length: fault?.fault === 'duplicate' ? 2 : 1 }, () => this.post(sent)),
    );
    faults.passed(notice.processor, 'callback');
    if (fault?.fault === 'close_after' || fault?.fault === 'status_500') return false;
    if (!statuses.every((status) => status === 200)) return false;
    books.remove('callback', id);
    return true;
  }

  private requestFor(notice: Notice, secret: string): SentRequest {
    return this.requestOf(this.parts.render(notice, secret));
  }

  private requestOf({ method, receiver, query, headers, body }: OutgoingCallback): SentRequest {
    const url = `${this.parts.baseUrl}/callbacks/${receiver}${query ? `?${query}` : ''}`;
    return { method, url, headers, body: body ?? null };
  }

  private async post({ method, url, headers, body }: SentRequest): Promise<number> {
    const response = await request(url, {
      method: method as 'GET' | 'POST',
      headers,
      body,
      dispatcher: this.agent,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await response.body.dump();
    return response.statusCode;
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : 'no answer';
}
