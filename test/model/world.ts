import { pino } from 'pino';
import { createActivities } from '../../activities';
import type { Dependencies } from '../../activities/dependencies';
import type { Connectors, ProcessorId } from '../../src/domain/connector';
import { isClosed, OPEN_STATUSES } from '../../src/domain/states/payment';
import { hearAboutPayment } from '../../src/edge/callbacks/about-payment';
import { type Delivery, Lane } from '../../src/edge/callbacks/delivery';
import { Hints } from '../../src/edge/callbacks/hints';
import { Inbox } from '../../src/edge/callbacks/inbox';
import { IncomingTransfers } from '../../src/edge/callbacks/incoming-transfers';
import { LateMatches } from '../../src/edge/callbacks/late-matches';
import { loadConfig } from '../../src/foundation/config/config';
import { FirstAnswers } from '../../src/foundation/temporal/first-answer';
import { AuthenticationPolicies } from '../../src/money/authentication/policies';
import { wakeDueFlows } from '../../src/money/payments/flow';
import { failAbandonedPayments } from '../../src/money/payments/orphans';
import type { PaymentFlows } from '../../src/money/payments/service';
import { askAboutLateCharges } from '../../src/money/payments/steps/late-charge';
import type { Returning } from '../../src/money/payments/steps/return-receipt';
import { matchWithNewPayments } from '../../src/money/suspense/arrival';
import { TopupService } from '../../src/money/topups/service';
import type { Charge } from '../../src/sandbox/simulator/records';
import { FLOWS } from '../../workers/flows';
import { Sweeps } from '../../workers/sweeps';
import { dispute } from '../../workflows/dispute';
import { lateCallback } from '../../workflows/late-callback';
import { payment } from '../../workflows/payment';
import { receipt } from '../../workflows/receipt';
import { refund } from '../../workflows/refund';
import { topup } from '../../workflows/topup';
import { insertPerson } from '../integration/people/customers/place';
import { Agenda } from './agenda';
import { ModelDelivery } from './delivery';
import { ModelEngine } from './engine/engine';
import { Runtime } from './engine/runtime';
import { Work } from './engine/work';
import { ModelFirstSteps } from './first-steps';
import { Network } from './network';
import { Outside } from './outside';
import { ModelPayments } from './payments';
import type { Ground, Place } from './place';
import type { Letter, Lines, Modelled, Processors } from './processors';
import { Requests } from './requests';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Each run begins at the same time: nothing in it depends on the day on which it is repeated. */
const BEGINNING = Date.parse('2031-01-15T10:00:00Z');
/** How long a request may take before workers do what it was to do. */
const FIRST_ANSWER_MS = 5_000;
/** Pauses before workers look for what was forgotten, once something has happened; then the last again and again. */
const ROUNDS_MS = [1_000, 2 * FIRST_ANSWER_MS, 30 * MINUTE];

/** What a processor has not ended. */
export const UNDER_WAY: ReadonlySet<Charge['status']> = new Set(['challenge', 'waiting', 'processing', 'authorized']);

const TIMERS = {
  ...loadConfig({}).timers,
  payerTransferTtlMs: HOUR,
  authorizationTtlMs: HOUR,
  disputeEvidenceTtlMs: HOUR,
  disputeInquiryMs: 10 * MINUTE,
};

/** One run of the model: the platform without its servers, processors, the network between them, and the time. */
export class World {
  readonly agenda = new Agenda();
  readonly work = new Work();
  /** Callbacks on their way. */
  readonly letters: Letter[] = [];
  /** Callbacks that have arrived. */
  readonly heard: Letter[] = [];
  readonly network: Network;
  readonly runtime: Runtime;
  readonly requests: Requests;
  readonly outside: Outside;
  readonly processors: Processors;
  private readonly engine: ModelEngine;
  private readonly inbox: Inbox;
  private readonly delivery: Delivery;
  private readonly hints: Hints;
  private readonly lateMatches: LateMatches;
  private readonly returning: Returning;
  private readonly sweeps: Sweeps;
  private readonly lines: Lines;
  private rounds = 0;
  private nextRound = BEGINNING;
  private lookedForLost = BEGINNING;

  private constructor(
    readonly ground: Ground,
    place: Place,
    readonly customerId: string,
    flows: PaymentFlows,
  ) {
    const { database, ledger, vault, mandates } = ground;
    const { agenda, work, letters } = this;
    const { processors } = place;
    const log = pino({ level: 'silent' });
    const firstAnswers = new FirstAnswers();
    this.processors = processors;
    this.outside = new Outside(processors, letters);
    this.lines = processors.begin({ agenda, letters });
    const { processorTimeoutMs: timeoutMs, processorInFlightMs: inFlightMs } = TIMERS;
    // Whoever asks late hears of it by callback too.
    this.network = new Network({ work, agenda, processors, lines: this.lines, timeoutMs, inFlightMs });
    const get = (processor: ProcessorId) => this.network.connector(processor as Modelled);
    const connectors = { get, find: get } as unknown as Connectors;
    const firstSteps = new ModelFirstSteps(work);
    const deps = { database, ledger, vault, mandates, connectors, timers: TIMERS, log, firstAnswers, firstSteps };
    this.returning = deps;
    const steps = createActivities(deps as unknown as Dependencies);
    this.runtime = new Runtime(work, agenda, { payment, topup, refund, receipt, dispute, lateCallback }, steps);
    this.engine = new ModelEngine(this.runtime);
    const engine = this.engine.asEngine();
    this.inbox = new Inbox(database.system);
    const { callbackRetryFirstMs: retryFirstMs, callbackRetryMaxMs: retryMaxMs } = TIMERS;
    const { system } = database;
    const { inbox } = this;
    const transfers = new IncomingTransfers({
      inbox,
      system,
      ledger,
      connectors,
      graceMs: TIMERS.unmatchedTransferGraceMs,
    });
    this.delivery = new ModelDelivery(
      work,
      this.engine,
      inbox,
      transfers,
      database,
      engine,
      connectors,
      (input, inboxId, notes) => hearAboutPayment(deps, input, inboxId, notes),
      { retryFirstMs, retryMaxMs },
      log,
    );
    this.lateMatches = new LateMatches(inbox);
    const limits = { most: 10_000, ttlMs: 86_400_000, retryFirstMs };
    this.hints = new Hints(system, inbox, this.delivery, connectors, limits, log);
    const payments = new ModelPayments(
      { ...deps, engine, authentication: new AuthenticationPolicies(database) },
      { firstAnswerMs: 1, eager: true, flows },
      this.work,
      this.engine,
    );
    const topups = new TopupService({ database }, payments, ground.house);
    this.requests = new Requests({ ground, engine: this.engine, payments, topups, customerId });
    const { payment: paying, topup: toppingUp, refund: refunding, receipt: returning, dispute: disputing } = FLOWS;
    this.sweeps = new Sweeps(
      database.system,
      engine,
      { firstAnswerMs: FIRST_ANSWER_MS, lostFlowMs: TIMERS.lostFlowMs },
      { paying, toppingUp, refunding, returning, disputing },
    );
  }

  /** `flows`: which payments have a flow, as `PAYMENT_FLOWS` says. */
  static async begin(place: Place, flows: PaymentFlows): Promise<World> {
    const ground = await place.next();
    await ground.clock.set(BEGINNING);
    const { tenantId } = ground.tenant;
    const owner = { ...ground, tenantId, otherTenantId: tenantId, close: ground.drop };
    return new World(ground, place, (await insertPerson(owner, 'verified')).id, flows);
  }

  /** A callback arrives. */
  async arrive(letter: Letter): Promise<void> {
    this.heard.push(letter);
    const { receiver, raw, key } = this.processors.arriving(letter, this.lines);
    if (!receiver.verify(raw, key)) throw new Error(`the signature of ${receiver.name} is wrong`);
    const { processor } = letter.notice;
    if (receiver.unsigned) {
      await this.hints.store(processor, receiver.name, receiver.parse(raw), raw);
      await this.hints.round();
      return;
    }
    const stored = await this.inbox.store(processor, receiver.name, receiver.parse(raw), raw);
    // What matches nothing or fails here is left to the workers' rounds.
    if (stored?.state === 'stored') await this.delivery.deliver(stored, new Lane()).catch(() => undefined);
  }

  /** Whether the payment that a callback is about is open, and served by who sends it. */
  async isServedBy({ notice }: Letter): Promise<boolean> {
    const { processor, paymentReference: id } = notice;
    const found = await this.ground.database.ops('payments').where({ id, processor }).first('status');
    return found !== undefined && !isClosed(found.status);
  }

  /** Whether the payer has been told what to do: nobody pays on a page or an account that was never shown. */
  async isShown(paymentId: string): Promise<boolean> {
    const asked = { payment_id: paymentId, to_status: 'requires_action' };
    return (await this.ground.database.ops('payment_events').where(asked).first('id')) !== undefined;
  }

  /** Lets time pass: what is due happens when it is due, and workers make their rounds. */
  async pass(ms: number): Promise<void> {
    const until = Date.now() + ms;
    for (;;) {
      const next = this.agenda.next(Math.min(until, this.nextRound));
      if (next !== undefined) {
        await this.moveTo(next);
        this.agenda.act();
      } else if (this.nextRound <= until) {
        await this.moveTo(this.nextRound);
        await this.round();
      } else break;
      await this.work.all();
    }
    await this.moveTo(until);
  }

  /** What is under way, here or at a processor; late money only with `returns`. */
  async underWay({ returns }: { returns: boolean }): Promise<string[]> {
    const { rows }: { rows: { what: string }[] } = await this.ground.database.ops.raw(
      `SELECT id || ' is ' || status || ': ' || status_detail AS what FROM payments WHERE id = ANY (:ids)
         AND status = ANY (:open)
       UNION ALL SELECT kind || ' of ' || payment_id FROM payment_operations
         WHERE payment_id = ANY (:ids) AND status = 'pending'
       UNION ALL SELECT id || ': ' || status_detail FROM refunds WHERE payment_id = ANY (:ids) AND status = 'pending'
       UNION ALL SELECT id || ': ' || status_detail FROM unapplied_receipts
         WHERE payment_id = ANY (:ids) AND status = 'returning' AND :returns
       UNION ALL SELECT 'callback ' || type || ' about ' || reference || ' is ' || state FROM callback_inbox
         WHERE state = 'stored'`,
      { ids: this.requests.payments, open: OPEN_STATUSES, returns },
    );
    const there = returns ? this.charges().filter(({ status }) => UNDER_WAY.has(status)) : [];
    return [
      ...rows.map(({ what }) => what),
      ...this.letters.map(({ notice }) => `callback ${notice.event} on its way`),
      ...there.map(({ processor, reference, status }) => `${reference} is ${status} at processor ${processor}`),
    ];
  }

  charges(): Charge[] {
    return this.requests.payments.flatMap((id) => this.outside.charges(id));
  }

  /** Has workers look soon, because something has happened. */
  stir(): void {
    this.rounds = 0;
    this.nextRound = Math.min(this.nextRound, Date.now() + ROUNDS_MS[0]!);
  }

  /** What workers do again and again: deliver, and look for what has no flow. */
  private async round(): Promise<void> {
    this.rounds += 1;
    this.nextRound = Date.now() + (ROUNDS_MS[this.rounds] ?? ROUNDS_MS.at(-1)!);
    const { system } = this.ground.database;
    await this.hints.round();
    await this.lateMatches.round();
    await this.delivery.round();
    await matchWithNewPayments(system);
    this.work.add(async () => void (await askAboutLateCharges(this.returning)));
    await failAbandonedPayments(system, this.ground.ledger, FIRST_ANSWER_MS);
    await wakeDueFlows(system, this.engine.asEngine(), TIMERS);
    await this.sweeps.bringUnheard();
    if (Date.now() - this.lookedForLost < TIMERS.lostFlowMs) return;
    this.lookedForLost = Date.now();
    await this.sweeps.restartLost();
  }

  private async moveTo(at: number): Promise<void> {
    if (at !== Date.now()) await this.ground.clock.set(at);
  }
}
