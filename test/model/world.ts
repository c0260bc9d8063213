import { pino } from 'pino';
import { createActivities } from '../../activities';
import type { Dependencies } from '../../activities/dependencies';
import type { Connectors, ProcessorId } from '../../src/domain/connector';
import { DomainError } from '../../src/domain/errors';
import { newId } from '../../src/domain/ids';
import { Delivery } from '../../src/edge/callbacks/delivery';
import { Inbox } from '../../src/edge/callbacks/inbox';
import { loadConfig } from '../../src/foundation/config/config';
import { FirstAnswers } from '../../src/foundation/temporal/first-answer';
import type { PaymentOrder } from '../../src/money/payments/accept';
import { failAbandonedPayments } from '../../src/money/payments/orphans';
import type { PaymentRow } from '../../src/money/payments/payment';
import { PaymentService } from '../../src/money/payments/service';
import { untouched } from '../../src/sandbox/simulator/charges';
import { refundNoticeOf } from '../../src/sandbox/simulator/notice';
import type { Charge } from '../../src/sandbox/simulator/records';
import { FLOWS } from '../../workers/flows';
import { Sweeps } from '../../workers/sweeps';
import { dispute } from '../../workflows/dispute';
import { lateCallback } from '../../workflows/late-callback';
import { payment } from '../../workflows/payment';
import { receipt } from '../../workflows/receipt';
import { refund } from '../../workflows/refund';
import { topup } from '../../workflows/topup';
import { Agenda } from './agenda';
import { ModelEngine } from './engine/engine';
import { Runtime } from './engine/runtime';
import { Work } from './engine/work';
import { type CallKind, type Fate, Network } from './network';
import type { Ground, Place } from './place';
import { type Letter, type Lines, MODELLED, type Modelled, type Processors } from './processors';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Each run begins at the same time: nothing in it depends on the day on which it is repeated. */
const BEGINNING = Date.parse('2031-01-15T10:00:00Z');
/** How often workers look after what was forgotten, in the time of the model. */
const ROUND_MS = 15 * MINUTE;

const { timers } = loadConfig({});
export const TIMERS = {
  ...timers,
  payerTransferTtlMs: HOUR,
  authorizationTtlMs: HOUR,
  disputeEvidenceTtlMs: HOUR,
  disputeInquiryMs: 10 * MINUTE,
};

/** How the platform is told of a payment that is to be made. */
export interface Plan {
  kind: 'card' | 'bank_transfer' | 'hosted_page';
  card?: string;
  capture: 'automatic' | 'manual';
  route: readonly Modelled[];
  amountMinor: bigint;
}

/** A capture or cancellation that was accepted: a promise. */
export interface Promised {
  operationId: string;
  paymentId: string;
  kind: 'capture' | 'void';
}

/** One run of the model: a platform without servers, its processors, and the time between them. */
export class World {
  readonly agenda = new Agenda();
  readonly work = new Work();
  readonly letters: Letter[] = [];
  /** Callbacks that have arrived. */
  readonly heard: Letter[] = [];
  readonly payments: string[] = [];
  readonly plans = new Map<string, Plan>();
  readonly promises: Promised[] = [];
  readonly refunds: { refundId: string; paymentId: string }[] = [];
  readonly network: Network;
  readonly runtime: Runtime;
  readonly engine: ModelEngine;
  readonly delivery: Delivery;
  readonly inbox: Inbox;
  readonly service: PaymentService;
  readonly processors: Processors;
  private readonly sweeps: Sweeps;
  private readonly lines: Lines;

  private constructor(
    readonly ground: Ground,
    place: Place,
  ) {
    const { database, ledger, vault, mandates } = ground;
    const { agenda, work, letters } = this;
    const log = pino({ level: 'silent' });
    const firstAnswers = new FirstAnswers();
    this.processors = place.processors;
    this.lines = place.processors.begin({ agenda, letters });
    this.network = new Network({
      work,
      agenda,
      processors: place.processors,
      lines: this.lines,
      timeoutMs: TIMERS.processorTimeoutMs,
    });
    const connectors = {
      get: (processor: ProcessorId) => this.network.connector(processor as Modelled),
      receiver: () => undefined,
    } as unknown as Connectors;
    const deps = { database, ledger, vault, mandates, connectors, timers: TIMERS, log, firstAnswers };
    const steps = createActivities(deps as unknown as Dependencies);
    this.runtime = new Runtime(work, agenda, { payment, topup, refund, receipt, dispute, lateCallback }, steps);
    this.engine = new ModelEngine(this.runtime);
    const engine = this.engine.asEngine();
    this.inbox = new Inbox(database.system);
    const { callbackRetryFirstMs: retryFirstMs, callbackRetryMaxMs: retryMaxMs } = TIMERS;
    this.delivery = new Delivery(this.inbox, database.system, engine, connectors, { retryFirstMs, retryMaxMs }, log);
    this.service = new PaymentService(
      { database, vault, mandates, ledger, engine, firstAnswers },
      { firstAnswerMs: 1, eager: false },
    );
    const { payment: paying, topup: toppingUp, refund: refunding, receipt: returning, dispute: disputing } = FLOWS;
    this.sweeps = new Sweeps(
      database.system,
      engine,
      { firstAnswerMs: 10_000, lostFlowMs: TIMERS.lostFlowMs },
      { paying, toppingUp, refunding, returning, disputing },
    );
  }

  static async begin(place: Place): Promise<World> {
    const ground = await place.next();
    const world = new World(ground, place);
    await ground.clock.set(BEGINNING);
    return world;
  }

  /** Accepts a payment; its flow is started, and works once somebody has time. */
  async pay(plan: Plan, paymentId = newId('payment')): Promise<void> {
    if (!this.payments.includes(paymentId)) this.payments.push(paymentId);
    this.plans.set(paymentId, plan);
    await this.tolerating(() => this.service.create(this.orderOf(plan, paymentId)));
  }

  async operate(kind: Promised['kind'], paymentId: string, amountMinor?: bigint): Promise<void> {
    const operationId = newId(kind === 'void' ? 'cancellation' : 'capture');
    const done = await this.tolerating(() =>
      kind === 'void'
        ? this.service.cancel(this.scope, paymentId, operationId)
        : this.service.capture(this.scope, paymentId, operationId, amountMinor ? () => amountMinor : undefined),
    );
    if (done) this.promises.push({ operationId, paymentId, kind });
  }

  async refund(paymentId: string, amountFor?: (payment: PaymentRow) => bigint): Promise<void> {
    const refundId = newId('refund');
    const { tenantId, organizationId } = this.scope;
    const done = await this.tolerating(() =>
      this.service.refund(this.scope, { refundId, paymentId, tenantId, organizationId, amountFor }),
    );
    if (done) this.refunds.push({ refundId, paymentId });
  }

  /** A callback arrives, as often as `copies` says. */
  async arrive(letter: Letter, copies = 1): Promise<void> {
    this.heard.push(letter);
    for (let copy = 0; copy < copies; copy += 1) {
      const { receiver, raw, key } = this.processors.arriving(letter, this.lines);
      if (!receiver.verify(raw, key)) throw new Error(`the signature of ${receiver.name} is wrong`);
      const processor = letter.notice.processor;
      const stored = await this.inbox.store(processor, receiver.name, receiver.parse(raw), raw, receiver.unsigned);
      // What fails here is left to the workers' rounds.
      if (stored) await this.delivery.deliver(stored).catch(() => undefined);
    }
  }

  /** Lets time pass: what is due happens when it is due, and workers make their rounds. */
  async pass(ms: number): Promise<void> {
    const until = Date.now() + ms;
    let round = Date.now() + ROUND_MS;
    for (;;) {
      const next = this.agenda.next(Math.min(until, round));
      if (next !== undefined) {
        await this.moveTo(next);
        this.agenda.act();
      } else if (round <= until) {
        await this.moveTo(round);
        await this.round();
        round += ROUND_MS;
      } else break;
      await this.work.all();
    }
    await this.moveTo(until);
    await this.round();
    await this.work.all();
  }

  /** What workers do again and again: deliver, and look for what has no flow. */
  async round(): Promise<void> {
    if (this.engine.state !== 'up') return;
    await this.delivery.round();
    await failAbandonedPayments(this.ground.database.system, this.ground.ledger, 10_000);
    await this.sweeps.bringUnheard();
    await this.sweeps.restartLost();
  }

  /** The processor ends a refund otherwise than it had said, and tells. */
  turnRefund(processor: Modelled, refundId: string): void {
    const { books, charges } = this.processors.desks[processor];
    const refund = books.refund(processor, refundId);
    if (!refund || refund.status === 'pending') return;
    const status = refund.status === 'refunded' ? 'declined' : 'refunded';
    const charge = books.get('charge', refund.chargeId);
    if (!charge || (status === 'refunded' && untouched(charge) < refund.amountMinor)) return;
    charges.changeRefund(refund, status);
    const notice = refundNoticeOf(status === 'refunded' ? 'refunded' : 'refund_declined', refund);
    this.letters.push({ notice, dueAt: Date.now() });
  }

  /** What every processor has charged for a payment. */
  charges(paymentId: string): Charge[] {
    return MODELLED.flatMap((processor) => [...this.processors.desks[processor].books.charges(processor, paymentId)]);
  }

  get scope() {
    const { tenantId, organizationId } = this.ground.tenant;
    return { tenantId, organizationId };
  }

  private async moveTo(at: number): Promise<void> {
    if (at !== Date.now()) await this.ground.clock.set(at);
  }

  /** Answers false when the platform refuses the request. */
  private async tolerating(request: () => Promise<unknown>): Promise<boolean> {
    try {
      await request();
      return true;
    } catch (error) {
      if (error instanceof DomainError) return false;
      throw error;
    }
  }

  private orderOf({ kind, card, capture, route, amountMinor }: Plan, paymentId: string): PaymentOrder {
    const { tenantId, organizationId, terminalId } = this.ground.tenant;
    const method = {
      card: { id: 1, kind: 'card', brand: 'VISA' },
      bank_transfer: { id: 61, kind: 'bank_transfer', brand: 'BANK_TRANSFER' },
      hosted_page: { id: 64, kind: 'hosted_page', brand: 'PAGE_C' },
    } as const;
    return {
      paymentId,
      tenantId,
      organizationId,
      terminalId,
      merchantTransactionId: paymentId,
      method: method[kind],
      processor: route[0]!,
      amountMinor,
      currency: 'EUR',
      captureMode: capture,
      details: {
        threeDS: 'auto',
        storeCard: false,
        notificationUrl: 'https://merchant.example/notices',
        returnUrl: 'https://merchant.example/back',
        route: { processors: [...route], reason: 'the model' },
        ...(kind === 'card' ? {} : { instrument: { kind } }),
      },
      ...(card && {
        card: { number: card, holder: 'A PAYER', expiryMonth: '12', expiryYear: '2040', cvv: '123' },
      }),
      requestId: 'req_model',
    };
  }

  /** Says what becomes of the next calls of a kind. */
  disturb(on: CallKind, fate: Fate | undefined, times = 1): void {
    if (fate) this.network.disturb({ on, fate, times });
  }
}
