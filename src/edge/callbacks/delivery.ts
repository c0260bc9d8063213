import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { PAYOUT_FLOW } from '../../commerce/payouts/flow';
import type { CallbackEffect } from '../../domain/callback';
import type { Connectors } from '../../domain/connector';
import { EVENT_SUBJECTS, isAbout } from '../../domain/event-subject';
import { type PaymentInput, type PaymentView, workflowId } from '../../domain/flows';
import { isClosed } from '../../domain/states/payment';
import type { Database } from '../../foundation/db/database';
import { statement } from '../../foundation/db/named-statements';
import type { Engine } from '../../foundation/temporal/engine';
import { signalFlow, signalRunning, startFlow } from '../../foundation/temporal/flows';
import type { DisputeRow } from '../../money/disputes/dispute';
import { DISPUTE_FLOW } from '../../money/disputes/flow';
import { opensDispute } from '../../money/disputes/processor-report';
import { waitsForPeople } from '../../money/payments/due';
import { flowOf, isInFirstStep, REFUND_FLOW, tellFlow, wakePayment } from '../../money/payments/flow';
import type { PaymentRow, RefundRow } from '../../money/payments/payment';
import { nothingNew } from '../../money/payments/steps/late-money';
import { SETTLEMENT_FLOW } from '../../money/reconciliation/flow';
import { CARD_UPDATE_FLOW } from '../../money/saved-cards/flow';
import { LATE_CALLBACK_FLOW } from './flow';
import { type Inbox, type InboxRow, moneyOf } from './inbox';
import type { IncomingTransfers } from './incoming-transfers';
import { callbackOf, noteEffect } from './take-effect';

const SIGNAL = 'callbackArrived';
const PAYMENT = statement('payment_of_callback', 'SELECT * FROM payments WHERE id = $1');
const ENGINE_DEADLINE_MS = 5_000;
/** Deliveries of one process and one processor that run at once beside its requests. */
const AT_ONCE = 8;
const QUEUE_LENGTH = 1_000;

/**
 * Lets a payment hear a callback: what its flow would do with it. `notes`: what became of the callback is noted with what it
 * changes, where that is one step.
 */
export type HearPayment = (
  input: PaymentInput,
  inboxId: string,
  notes: boolean,
) => Promise<CallbackEffect<PaymentView>>;

/** Payments of one process and one processor that hear a callback at once: most of that time the processor works. */
const HEARING_AT_ONCE = 64;

/** Callbacks of one processor that were only just received: one that is slow holds up no other. */
export class Lane {
  readonly queue: InboxRow[] = [];
  running = 0;
  /** Payments that hear a callback beside what is running. */
  hearing = 0;
}

/** Brings stored callbacks to the workflow they are about; a workflow that has closed gets a successor for it. */
export class Delivery {
  private readonly lanes = new Map<string, Lane>();

  constructor(
    private readonly inbox: Inbox,
    private readonly transfers: IncomingTransfers,
    private readonly database: Pick<Database, 'system' | 'named'>,
    private readonly engine: Engine,
    private readonly connectors: Pick<Connectors, 'get' | 'receiver'>,
    private readonly hear: HearPayment,
    private readonly options: { retryFirstMs: number; retryMaxMs: number },
    private readonly log: Logger,
  ) {}

  private get system(): Knex {
    return this.database.system;
  }

  /**
   * Takes a callback that was only just stored. A few are delivered at a time, so that a flood of callbacks does not
   * stand in the way of receiving them; what matches nothing, does not fit or fails is left to the workers' rounds.
   */
  soon(row: InboxRow): void {
    const lane = this.laneOf(row.processor);
    if (row.state !== 'stored' || lane.queue.length >= QUEUE_LENGTH) return;
    lane.queue.push(row);
    if (lane.running < AT_ONCE) void this.drain(lane);
  }

  private laneOf(processor: string): Lane {
    const lane = this.lanes.get(processor) ?? new Lane();
    this.lanes.set(processor, lane);
    return lane;
  }

  private async drain(lane: Lane): Promise<void> {
    lane.running += 1;
    for (let next = lane.queue.shift(); next; next = lane.queue.shift()) {
      const row = next;
      await this.deliver(row, lane).catch((error: unknown) => this.leave(row, error as Error));
    }
    lane.running -= 1;
  }

  /** A database that is away too leaves it due when it is due. */
  private async leave(row: InboxRow, error: Error): Promise<void> {
    this.log.debug({ ...subjectOf(row), error: error.name }, 'left to the workers');
    await this.inbox.leave(row.id).catch(() => undefined);
  }

  /**
   * Delivers one callback. Safe to repeat: whoever takes it applies an inbox row once, and the row stays due until then.
   * `lane`: where it was only just received. Rejects when the engine is away.
   */
  async deliver(row: InboxRow, lane?: Lane): Promise<void> {
    const known = await this.established(row);
    if (known) await this.inTime(() => this.route(known, lane));
  }

  /** The row as it may be acted upon: an unsigned hint once the processor has confirmed it, a transfer once it is matched. */
  private async established(row: InboxRow): Promise<InboxRow | undefined> {
    if (row.type === 'transfer_received') return this.transfers.place(row);
    if (!row.hint) return row;
    const truth = await this.connectors.get(row.processor).confirm?.({ ...row.event, money: moneyOf(row.event) });
    if (truth) return this.inbox.confirm(row, truth);
    await this.leaveUnmatched(row);
    return undefined;
  }

  private inTime(send: () => Promise<void>): Promise<void> {
    return this.engine.connection.withDeadline(Date.now() + ENGINE_DEADLINE_MS, send);
  }

  private route(row: InboxRow, lane?: Lane): Promise<void> {
    switch (EVENT_SUBJECTS[row.type]) {
      case 'batch':
        return this.startSettlement(row);
      case 'dispute':
        return this.signalDispute(row);
      case 'card':
        return this.startCardUpdate(row);
      case 'payout':
        return this.signalPayout(row);
      case 'payment':
      case 'refund':
        return row.reference.startsWith('cvf_') ? this.signalVerification(row) : this.signalFlow(row, lane);
    }
  }

  /** `reference`: the payment or verification that the card was last used for. */
  private async startCardUpdate(row: InboxRow): Promise<void> {
    const table = row.reference.startsWith('cvf_') ? 'card_verifications' : 'payments';
    const known = await this.system(table).where({ id: row.reference }).first('tenant_id');
    if (!known) return this.leaveUnmatched(row);
    const { id: inboxId, processor, event_id: eventId } = row;
    await startFlow(this.engine, CARD_UPDATE_FLOW, { inboxId, processor, eventId, tenantId: known.tenant_id });
  }

  /** A card that is verified before it is saved. Once that has ended, nothing that is said of it matters. */
  private async signalVerification(row: InboxRow): Promise<void> {
    if (await this.signalled(workflowId.cardVerification(row.reference), row)) return;
    const known = await this.system('card_verifications').where({ id: row.reference }).first('id');
    if (!known) return this.leaveUnmatched(row);
    await this.inbox.mark(row.id, 'ignored', 'the verification of the card has ended');
  }

  /** One round over everything due. Answers how many rows it took. */
  async round(limit = 100): Promise<number> {
    const { taken, rows } = await this.inbox.takeDue(limit, this.options.retryFirstMs, this.options.retryMaxMs);
    await Promise.all(
      rows.map((row) =>
        this.deliver(row).catch((error: unknown) =>
          this.log.warn({ ...subjectOf(row), error: (error as Error).name }, 'callback not delivered yet'),
        ),
      ),
    );
    return taken;
  }

  private async signalFlow(row: InboxRow, lane?: Lane): Promise<void> {
    if (row.reference.startsWith('ref_')) return this.signalRefund(row);
    const [known] = await this.database.named.system.rows<PaymentRow>(PAYMENT, [row.reference]);
    if (!known) return this.leaveUnmatched(row);
    // It has overtaken the answer that is being booked, and finds the flow a moment later.
    if (isInFirstStep(known)) return this.inbox.leave(row.id);
    if (!isClosed(known.status)) return this.bringToOpen(row, known, lane);
    const nothing = nothingNew(known, callbackOf(row));
    if (nothing) {
      // Whoever heard it may have died before the flow was told.
      if (known.has_flow && row.attempts > 0) await tellFlow(this.engine, this.system, known);
      return this.inbox.mark(row.id, 'ignored', nothing);
    }
    if (known.has_flow && (await this.signalled(flowOf(known).id(known), row))) return;
    await this.startLate(row, known);
  }

  /**
   * A flow that only waits for somebody is not needed for the step. One that does something takes it in its turn, and so does
   * each where too many hear something here: flows have more room, and more processes.
   */
  private async bringToOpen(row: InboxRow, known: PaymentRow, lane?: Lane): Promise<void> {
    const isNeeded = known.has_flow && !waitsForPeople(known);
    if (lane && !isNeeded && lane.hearing < HEARING_AT_ONCE) return this.hearBeside(lane, row, known);
    // One that is open and has no flow has lost it: the callback brings a new one.
    return known.has_flow ? wakePayment(this.engine, this.system, known, SIGNAL, row.id) : this.hearAtOnce(row, known);
  }

  /** The lane goes on meanwhile. */
  private hearBeside(lane: Lane, row: InboxRow, known: PaymentRow): void {
    lane.hearing += 1;
    void this.hearAtOnce(row, known)
      .catch((error: unknown) => this.leave(row, error as Error))
      .finally(() => {
        lane.hearing -= 1;
      });
  }

  /**
   * Takes the step that follows from a callback. A flow is told what came of it, and the callback stays due until then. A
   * payment without one gets it where the processor is waited for after that.
   */
  protected async hearAtOnce(row: InboxRow, known: PaymentRow): Promise<void> {
    const { id: paymentId, tenant_id: tenantId, has_flow: hasFlow } = known;
    const effect = await this.whileHeard(row, () => this.hear({ paymentId, tenantId }, row.id, !hasFlow));
    const { view } = effect;
    // The processor has had its time, the engine has its own.
    if (view.callbackIsLate) await this.inTime(() => this.startLate(row, known));
    const isNews = view.status !== known.status || (view.review ?? null) !== known.review_reason;
    if (hasFlow && isNews) await this.inTime(() => tellFlow(this.engine, this.system, known, view));
    if (!hasFlow && view.waitsFor === 'provider')
      await this.inTime(() => wakePayment(this.engine, this.system, known, 'proceed'));
    await noteEffect(this.inbox, row.id, effect);
  }

  /** A processor may take longer than the pause after which a callback is delivered again. */
  protected whileHeard<T>(row: InboxRow, hear: () => Promise<T>): Promise<T> {
    return this.inbox.during(row.id, this.options.retryFirstMs, hear);
  }

  private async signalRefund(row: InboxRow): Promise<void> {
    if (await this.signalled(workflowId.refund(row.reference), row)) return;
    const known: RefundRow | undefined = await this.system('refunds').where({ id: row.reference }).first();
    if (!known) return this.leaveUnmatched(row);
    if (known.status === 'pending')
      return signalFlow(this.engine, { ...REFUND_FLOW, runs: 'again' }, known, { signal: SIGNAL, args: [row.id] });
    await this.startLate(row, known);
  }

  /** Whoever the callback is about has ended: it gets a flow of its own. */
  private async startLate(
    row: InboxRow,
    known: Pick<PaymentRow | RefundRow, 'tenant_id' | 'organization_id'>,
  ): Promise<void> {
    await startFlow(this.engine, LATE_CALLBACK_FLOW, {
      processor: row.processor,
      eventId: row.event_id,
      inboxId: row.id,
      tenantId: known.tenant_id,
      organizationId: known.organization_id,
    });
  }

  /** False when no such flow runs. */
  private signalled(id: string, row: InboxRow): Promise<boolean> {
    return signalRunning(this.engine, id, SIGNAL, row.id);
  }

  private async signalDispute(row: InboxRow): Promise<void> {
    const payment = await this.system('payments')
      .where({ id: row.reference })
      .first('id', 'tenant_id', 'organization_id');
    if (!payment) return this.leaveUnmatched(row);
    const caseId = row.event.caseId ?? (await this.onlyCaseOf(row));
    const known: DisputeRow | undefined = caseId
      ? await this.system('disputes').where({ processor: row.processor, case_id: caseId }).first()
      : undefined;
    // Without an amount, an outcome does not say what was charged back: the chargeback itself has to come first.
    const opens = isOpening(row);
    if (!known && !opens && !(caseId && row.event.money)) return this.leaveUnmatched(row);
    const { id: payment_id, tenant_id, organization_id } = payment;
    const dispute = {
      processor: row.processor,
      case_id: caseId ?? row.event_id,
      payment_id,
      tenant_id,
      organization_id,
    };
    await signalFlow(this.engine, DISPUTE_FLOW, dispute, { signal: SIGNAL, args: [row.id] });
  }

  /** A processor that names no case speaks of the payment's only dispute that has not ended. */
  private async onlyCaseOf(row: InboxRow): Promise<string | undefined> {
    if (isOpening(row)) return undefined;
    const { processor, reference } = row;
    const open: DisputeRow[] = await this.system('disputes')
      .where({ processor, payment_id: reference })
      .whereNotIn('status', ['won', 'lost'])
      .limit(2);
    return open.length === 1 ? open[0]!.case_id : undefined;
  }

  /** One that has ended gets a successor: a bank may return what it had credited. */
  private async signalPayout(row: InboxRow): Promise<void> {
    if (row.reference.startsWith('btr_')) return this.lookAtReturn(row);
    const payout = await this.system('payouts').where({ id: row.reference }).first();
    if (!payout) return this.leaveUnmatched(row);
    await signalFlow(this.engine, PAYOUT_FLOW, payout, { signal: SIGNAL, args: [row.id] });
  }

  /** A transfer back to a payer: its processor is asked at once what became of it. */
  private async lookAtReturn(row: InboxRow): Promise<void> {
    const known = await this.system('bank_returns')
      .where({ id: row.reference })
      .whereIn('status', ['sent', 'settled'])
      .update({ look_at: this.system.fn.now() });
    if (known === 0) return this.leaveUnmatched(row);
    await this.inbox.mark(row.id, 'applied', 'the processor is asked about it');
  }

  private async startSettlement(row: InboxRow): Promise<void> {
    const batchId = row.event.batchId ?? row.reference;
    await startFlow(this.engine, SETTLEMENT_FLOW, { processor: row.processor, batchId });
    await this.inbox.mark(row.id, 'applied', 'settlement started');
  }

  /** A callback may overtake the answer to the request that caused it: kept, tried again, listed for ops. */
  private async leaveUnmatched(row: InboxRow): Promise<void> {
    await this.inbox.mark(row.id, 'unmatched', 'nothing of ours matches it yet');
  }
}

/** What a log line about a callback carries. */
function subjectOf({ id, reference }: InboxRow): Record<string, string> {
  return { callback: id, ...(reference.startsWith('pay_') ? { paymentId: reference } : { reference }) };
}

/** Whether the callback opens a dispute. */
function isOpening({ type }: InboxRow): boolean {
  return isAbout('dispute', type) && opensDispute(type);
}
