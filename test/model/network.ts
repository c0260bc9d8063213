import type { Connector } from '../../src/domain/connector';
import type { FaultTarget } from '../../src/sandbox/simulator/faults';
import type { Agenda } from './agenda';
import type { Work } from './engine/work';
import type { Lines, Modelled, Processors } from './processors';

/** What somebody calls a processor for. */
export type CallKind = 'authorize' | 'capture' | 'void' | 'refund' | 'inquiry';

/**
 * What becomes of a call. `slow`: the request arrives `arrivesMs` later, and its answer `answersMs` after that; whoever
 * waits gives up after the platform's time-out.
 */
export type Fate =
  | {
      kind: 'lost_before' | 'lost_after' | 'status_400' | 'status_429' | 'status_500' | 'cannot_connect' | 'duplicated';
    }
  | { kind: 'slow'; arrivesMs: number; answersMs: number };

interface Order {
  on: CallKind;
  fate: Fate;
  times: number;
  /** Only calls under keys that begin so. */
  key?: string;
}

/** A call as the model remembers it. */
export interface Call {
  processor: Modelled;
  kind: CallKind;
  /** What it is about: our id of the payment, or of the refund. */
  reference: string;
  paymentReference: string;
  key: string;
  fate?: Fate;
  /** How long the request was on its way. */
  tookMs?: number;
}

const SIMULATED: Partial<
  Record<Fate['kind'], 'close_before' | 'close_after' | 'status_400' | 'status_429' | 'status_500' | 'duplicate'>
> = {
  lost_before: 'close_before',
  lost_after: 'close_after',
  status_400: 'status_400',
  status_429: 'status_429',
  status_500: 'status_500',
  duplicated: 'duplicate',
};

const TARGETS: Record<CallKind, FaultTarget> = {
  authorize: 'authorize',
  capture: 'capture',
  void: 'capture',
  refund: 'refund',
  inquiry: 'inquiry',
};

const KINDS: Partial<Record<keyof Connector, CallKind>> = {
  authorize: 'authorize',
  completeAuthentication: 'authorize',
  capture: 'capture',
  void: 'void',
  refund: 'refund',
  inquirePayment: 'inquiry',
  inquireRefund: 'inquiry',
};

interface NetworkParts {
  work: Work;
  agenda: Agenda;
  processors: Processors;
  lines: Lines;
  timeoutMs: number;
  inFlightMs: number;
}

/** What lies between the platform and its processors: it loses, delays, repeats and refuses calls as it was told to. */
export class Network {
  readonly calls: Call[] = [];
  private orders: Order[] = [];

  constructor(private readonly parts: NetworkParts) {}

  /** Says what becomes of the next calls of a kind. */
  disturb(order: Order): void {
    this.orders.push({ ...order });
  }

  /** Whether a processor has not accepted a call about `reference`. */
  hasRefused(reference: string, kind?: CallKind): boolean {
    return this.calls.some(
      (call) => call.reference === reference && call.fate?.kind === 'status_400' && (!kind || call.kind === kind),
    );
  }

  /** Whether a request about `reference` was on its way for longer than the platform expects of any. */
  wasTooSlow(reference: string): boolean {
    return this.calls.some((call) => call.reference === reference && (call.tookMs ?? 0) >= this.parts.inFlightMs);
  }

  /** From now on every call gets through. */
  calm(): void {
    this.orders = [];
  }

  /** From now on processors are too busy to take late money back. Answers how that ends. */
  refuseReturns(): () => void {
    for (const on of ['refund', 'void'] as const)
      this.disturb({ on, fate: { kind: 'status_429' }, times: Number.POSITIVE_INFINITY, key: 'receipt/' });
    return () => this.calm();
  }

  /** The connector of a processor, over this network. */
  connector(processor: Modelled): Connector {
    const { live, cut } = this.parts.lines;
    return new Proxy(live[processor], {
      get: (connector, name: keyof Connector) => {
        const kind = KINDS[name];
        const member = connector[name];
        if (!kind || typeof member !== 'function') return member;
        return (request: unknown, ...rest: unknown[]) => {
          const perform = (to: Connector) => (to[name] as (...args: unknown[]) => Promise<object>)(request, ...rest);
          const call = callOf(processor, kind, request);
          return this.carry(
            call,
            () => perform(live[processor]),
            () => perform(cut[processor]),
          );
        };
      },
    });
  }

  private async carry(call: Call, toProcessor: () => Promise<object>, nowhere: () => Promise<object>): Promise<object> {
    this.calls.push(call);
    const fate = this.fateOf(call);
    call.fate = fate;
    if (fate?.kind === 'cannot_connect') return nowhere();
    if (fate?.kind === 'slow') return this.carrySlowly(call, fate, toProcessor);
    const fault = fate && SIMULATED[fate.kind];
    const { faults } = this.parts.processors;
    if (fault) faults.order(call.processor, { on: TARGETS[call.kind], fault, times: 1, delayMs: 0 });
    call.tookMs = 0;
    return toProcessor();
  }

  private carrySlowly(
    call: Call,
    { arrivesMs, answersMs }: Extract<Fate, { kind: 'slow' }>,
    toProcessor: () => Promise<object>,
  ): Promise<object> {
    const { work, agenda, timeoutMs } = this.parts;
    const answered = new Promise<object>((resolve) => {
      const callOff = agenda.enter(Date.now() + timeoutMs, () =>
        resolve({ kind: 'unknown', detail: 'the processor did not answer in time' }),
      );
      agenda.enter(Date.now() + arrivesMs, () =>
        work.add(async () => {
          call.tookMs = arrivesMs;
          const answer = await toProcessor();
          agenda.enter(Date.now() + answersMs, () => {
            callOff();
            resolve(answer);
          });
        }),
      );
    });
    return work.aside(answered);
  }

  private fateOf(call: Call): Fate | undefined {
    const order = this.orders.find(({ on, key = '' }) => on === call.kind && call.key.startsWith(key));
    if (!order) return undefined;
    order.times -= 1;
    if (order.times <= 0) this.orders = this.orders.filter((other) => other !== order);
    return order.fate;
  }
}

function callOf(processor: Modelled, kind: CallKind, request: unknown): Call {
  const about = typeof request === 'string' ? { reference: request } : (request as Record<string, string>);
  const reference = about.refundReference ?? about.reference ?? '';
  const { paymentReference = reference, idempotencyKey: key = '' } = about;
  return { processor, kind, reference, paymentReference, key };
}
