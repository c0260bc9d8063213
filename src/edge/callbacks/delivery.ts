import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy, WorkflowNotFoundError } from '@temporalio/client';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Connectors } from '../../domain/connector';
import { WORKFLOW, workflowId } from '../../domain/flows';
import type { Engine } from '../../foundation/temporal/engine';
import type { DisputeRow } from '../../money/disputes/dispute';
import { signalDispute } from '../../money/disputes/start';
import { flowOf } from '../../money/payments/start';
import { paymentOfTransfer } from '../../money/payments/virtual-accounts';
import { type Inbox, type InboxRow, moneyOf } from './inbox';

const SIGNAL = 'callbackArrived';
const ENGINE_DEADLINE_MS = 5_000;
/** Deliveries of one process that run at once beside its requests. */
const AT_ONCE = 8;
const QUEUE_LENGTH = 1_000;

/** Brings stored callbacks to the workflow they are about; a workflow that has closed gets a successor for it. */
export class Delivery {
  private readonly queue: InboxRow[] = [];
  private running = 0;

  constructor(
    private readonly inbox: Inbox,
    private readonly system: Knex,
    private readonly engine: Engine,
    private readonly connectors: Pick<Connectors, 'get' | 'receiver'>,
    private readonly options: { retryFirstMs: number; retryMaxMs: number },
    private readonly log: Logger,
  ) {}

  /**
   * Takes a callback that was only just stored. A few are delivered at a time, so that a flood of callbacks does not
   * stand in the way of receiving them; what does not fit or fails is left to the workers' rounds.
   */
  soon(row: InboxRow): void {
    if (this.queue.length >= QUEUE_LENGTH) return;
    this.queue.push(row);
    if (this.running < AT_ONCE) void this.drain();
  }

  private async drain(): Promise<void> {
    this.running += 1;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      const row = next;
      await this.deliver(row).catch((error: unknown) =>
        this.log.debug({ ...subjectOf(row), error: (error as Error).name }, 'left to the workers'),
      );
    }
    this.running -= 1;
  }

  /**
   * Delivers one callback. Safe to repeat: the workflow that takes it applies an inbox row once, and the row stays due
   * until then. An engine that is away leaves it for the next round.
   */
  async deliver(row: InboxRow): Promise<void> {
    const known = await this.established(row);
    if (known) await this.engine.connection.withDeadline(Date.now() + ENGINE_DEADLINE_MS, () => this.route(known));
  }

  /** The row as it may be acted upon: an unsigned hint once the provider has confirmed it, a transfer once it is matched. */
  private async established(row: InboxRow): Promise<InboxRow | undefined> {
    if (row.type === 'transfer_received') {
      const paymentId = await paymentOfTransfer(this.system, row.reference, row.event.reason ?? '');
      if (!paymentId && !row.reference.startsWith('pay_')) {
        await this.leaveUnmatched(row);
        return undefined;
      }
      return paymentId ? this.inbox.rename(row, paymentId) : row;
    }
    if (!row.hint) return this.named(row);
    const truth = await this.connectors.get(row.processor).confirm?.({ ...row.event, money: moneyOf(row.event) });
    if (truth) return this.inbox.confirm(row, truth);
    await this.leaveUnmatched(row);
    return undefined;
  }

  /** Where a provider says only what it calls the payment itself: by our id, once its answer has told us that name. */
  private async named(row: InboxRow): Promise<InboxRow> {
    if (row.type === 'settlement_batch' || /^(pay|ref|cvf)_/.test(row.reference)) return row;
    const payment = await this.system('payments')
      .where({ processor: row.processor, provider_reference: row.reference })
      .first('id');
    return payment ? this.inbox.rename(row, payment.id) : row;
  }

  private route(row: InboxRow): Promise<void> {
    switch (row.type) {
      case 'settlement_batch':
        return this.startSettlement(row);
      case 'charged_back':
      case 'returned':
      case 'second_presentment':
      case 'chargeback_won':
      case 'chargeback_lost':
        return this.signalDispute(row);
      case 'card_update':
        return this.startCardUpdate(row);
      default:
        return row.reference.startsWith('cvf_') ? this.signalVerification(row) : this.signalFlow(row);
    }
  }

  /** `reference`: the payment or verification that the card was last used for. */
  private async startCardUpdate(row: InboxRow): Promise<void> {
    const table = row.reference.startsWith('cvf_') ? 'card_verifications' : 'payments';
    if (!(await this.system(table).where({ id: row.reference }).first('id'))) return this.leaveUnmatched(row);
    const id = workflowId.cardUpdate(row.processor, row.event_id);
    await this.startOnce(WORKFLOW.cardUpdate, id, { inboxId: row.id });
  }

  /** A card that is verified before it is saved. Once that has ended, nothing that is said of it matters. */
  private async signalVerification(row: InboxRow): Promise<void> {
    try {
      await this.engine.client.workflow.getHandle(workflowId.cardVerification(row.reference)).signal(SIGNAL, row.id);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      const known = await this.system('card_verifications').where({ id: row.reference }).first('id');
      if (!known) return this.leaveUnmatched(row);
      await this.inbox.mark(row.id, 'ignored', 'the verification of the card has ended');
    }
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

  private async signalFlow(row: InboxRow): Promise<void> {
    const isRefund = row.reference.startsWith('ref_');
    if (await this.signalled(isRefund ? workflowId.refund(row.reference) : workflowId.payment(row.reference), row))
      return;
    const known = isRefund
      ? await this.system('refunds').where({ id: row.reference }).first('id')
      : await this.system('payments').where({ id: row.reference }).first('id', 'beneficiary');
    if (!known) return this.leaveUnmatched(row);
    // Most are payments of merchants: which one is none shows when it has no flow of its own.
    if (known.beneficiary === 'wallet' && (await this.signalled(flowOf(known).id, row))) return;
    await this.startOnce(WORKFLOW.lateCallback, workflowId.lateCallback(row.processor, row.event_id), {
      inboxId: row.id,
    });
  }

  /** False when no such flow runs. */
  private async signalled(id: string, row: InboxRow): Promise<boolean> {
    try {
      await this.engine.client.workflow.getHandle(id).signal(SIGNAL, row.id);
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
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
    const opens = row.type === 'charged_back' || row.type === 'returned';
    if (!known && !opens && !(caseId && row.event.money)) return this.leaveUnmatched(row);
    const flow = { processor: row.processor, caseId: caseId ?? row.event_id, payment };
    try {
      await signalDispute(this.engine, flow, SIGNAL, [row.id]);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // What comes after the end is heard all the same: it may be money that moved there and not here.
      await signalDispute(this.engine, flow, SIGNAL, [row.id], { again: true });
    }
  }

  /** A provider that names no case speaks of the payment's only dispute that has not ended. */
  private async onlyCaseOf({ processor, reference, type }: InboxRow): Promise<string | undefined> {
    if (type === 'charged_back' || type === 'returned') return undefined;
    const open: DisputeRow[] = await this.system('disputes')
      .where({ processor, payment_id: reference })
      .whereNotIn('status', ['won', 'lost'])
      .limit(2);
    return open.length === 1 ? open[0]!.case_id : undefined;
  }

  private async startSettlement(row: InboxRow): Promise<void> {
    const batchId = row.event.batchId ?? row.reference;
    await this.startOnce(WORKFLOW.settlement, workflowId.settlement(row.processor, batchId), {
      processor: row.processor,
      batchId,
    });
    await this.inbox.mark(row.id, 'applied', 'settlement started');
  }

  private async startOnce(type: string, id: string, input: unknown): Promise<void> {
    try {
      await this.engine.client.workflow.start(type, {
        workflowId: id,
        taskQueue: this.engine.taskQueue,
        args: [input],
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
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
