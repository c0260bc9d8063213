import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { ProcessorId } from '../../domain/connector';
import type { Books } from './books';
import type { Faults, FaultTarget } from './faults';
import type { KeptAnswer } from './records';
import { Refusal } from './refusal';

/** How long a caller that gets no answer is kept waiting: longer than any patience. */
const HOLD_MS = 60_000;
const OVERTAKEN_WITHIN_MS = 2_000;

export interface Reply {
  status: number;
  /** Sent as JSON, or as it is where `contentType` says otherwise. */
  body: unknown;
  contentType?: string;
  /** The answer never leaves. */
  silent?: boolean;
}

export interface Call {
  processor: ProcessorId;
  on: FaultTarget | 'other';
  /** The payment's reference. */
  reference: string;
  idempotencyKey?: string;
  /** What a repeat under the same key has to agree in. Never made of card data. */
  fingerprint: string;
  /** Counts as a request for a charge. */
  counted?: boolean;
  /** Does it. Undefined: the connection is closed, as if it had never been asked. Throws Refusal. */
  perform: () => Reply | undefined;
}

/** Answers the calls of all processors: faults, idempotency, and what never gets an answer. */
export class Calls {
  private readonly held = new Set<Socket>();
  private closed = false;

  constructor(
    private readonly books: Books,
    private readonly faults: Faults,
    /** Writes a refusal as the processor does. */
    private readonly refuse: (refusal: Refusal) => Reply,
  ) {}

  async answer(ctx: Context, call: Call): Promise<void> {
    if (call.counted && call.idempotencyKey) this.count(call.processor, call.idempotencyKey);
    const fault = call.on === 'other' ? undefined : this.faults.take(call.processor, call.on, call.reference);
    if (fault?.delayMs) await sleep(fault.delayMs);
    if (fault?.fault === 'drop') return this.hold(ctx);
    if (fault?.fault === 'close_before') return disconnect(ctx);
    if (fault?.fault === 'status_400' || fault?.fault === 'status_429') {
      ctx.status = fault.fault === 'status_400' ? 400 : 429;
      ctx.body = '{"error":{"code":"REFUSED"}}';
      return;
    }
    if (fault?.fault === 'reorder' && call.on !== 'other')
      await this.faults.overtaken(call.processor, call.on, OVERTAKEN_WITHIN_MS);
    if (fault?.fault === 'duplicate') {
      if (call.counted && call.idempotencyKey) this.count(call.processor, call.idempotencyKey);
      this.once(call);
    }
    const reply = this.once(call);
    if (call.on !== 'other') this.faults.passed(call.processor, call.on);
    if (!reply || fault?.fault === 'close_after') return disconnect(ctx);
    if (reply.silent) return this.hold(ctx);
    const text = fault?.fault === 'status_500' ? '{"error":{"code":"INTERNAL_ERROR"}}' : reply.text;
    ctx.status = fault?.fault === 'status_500' ? 500 : reply.status;
    ctx.set('Content-Type', reply.contentType ?? 'application/json; charset=utf-8');
    ctx.body = text;
  }

  /** Lets go of everybody who waits for an answer that will not come. */
  close(): void {
    this.closed = true;
    for (const socket of this.held) socket.destroy();
  }

  /** Does the call, or gives again what its key was answered with. The answer is kept together with what was done. */
  private once(call: Call): Sent | undefined {
    const id = call.idempotencyKey && `${call.processor}:${call.idempotencyKey}`;
    const kept = id ? this.books.get('answer', id) : undefined;
    if (kept && kept.fingerprint !== call.fingerprint) {
      const reply = this.refuse(new Refusal('idempotency_conflict', 'The key was used for another request.'));
      return written(reply);
    }
    if (kept) {
      this.keepCount(id);
      return kept;
    }
    return this.books.atomically(() => {
      const reply = this.performed(call);
      if (!reply) return undefined;
      const answer = written(reply);
      // A refusal changed nothing: the same key may be tried again.
      if (id && reply.status < 400) this.books.save('answer', { id, fingerprint: call.fingerprint, ...answer });
      this.keepCount(id);
      return answer;
    });
  }

  private performed(call: Call): Reply | undefined {
    try {
      return call.perform();
    } catch (error) {
      if (error instanceof Refusal) return this.refuse(error);
      throw error;
    }
  }

  private readonly counts = new Map<string, number>();

  /** Counted when it arrives, dropped requests too; written down with the first change that follows. */
  private count(processor: ProcessorId, key: string): void {
    const id = `${processor}:${key}`;
    this.counts.set(id, (this.counts.get(id) ?? this.books.get('requests', id)?.requests ?? 0) + 1);
  }

  private keepCount(id: string | undefined): void {
    const requests = id ? this.counts.get(id) : undefined;
    if (!id || requests === undefined) return;
    this.counts.delete(id);
    this.books.save('requests', { id, requests });
  }

  private hold(ctx: Context): void {
    if (this.closed) {
      disconnect(ctx);
      return;
    }
    ctx.respond = false;
    const { socket } = ctx.req;
    this.held.add(socket);
    const timer = setTimeout(() => socket.destroy(), HOLD_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      this.held.delete(socket);
    });
  }
}

type Sent = Pick<KeptAnswer, 'status' | 'text' | 'contentType' | 'silent'>;

function written({ status, body, contentType, silent }: Reply): Sent {
  return { status, text: contentType ? String(body) : JSON.stringify(body), contentType, silent };
}

function disconnect(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}
