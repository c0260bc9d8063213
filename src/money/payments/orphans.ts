import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { Knex } from 'knex';
import { workflowId } from '../../domain/flows';
import { RESULT } from '../../domain/result-codes';
import type { Engine } from '../../foundation/temporal/engine';
import type { DisputeRow } from '../disputes/dispute';
import { proceedWithDispute } from '../disputes/start';
import type { Ledger } from '../ledger/ledger';
import type { PaymentRow, RefundRow } from './payment';
import { flowOf, startPayment, startRefund } from './start';
import { applyChange } from './transition';

const BATCH = 100;
/** Well beyond the time in which a request that lives starts its flow. */
const MARGIN_MS = 60_000;

/**
 * Ends payments whose request was accepted by a process that died before it started their flow. Nothing was sent, so
 * nothing was charged; a flow that should start late all the same finds the payment ended and does nothing.
 */
export async function failAbandonedPayments(system: Knex, ledger: Ledger, firstAnswerMs: number): Promise<number> {
  return system.transaction(async (trx) => {
    const abandoned: PaymentRow[] = await trx('payments')
      .where({ status: 'initiated', attempts: 0 })
      .where('created_at', '<', new Date(Date.now() - firstAnswerMs - MARGIN_MS))
      .limit(BATCH)
      .forUpdate()
      .skipLocked();
    for (const payment of abandoned)
      await applyChange(trx, ledger, payment, {
        to: 'failed',
        resultCode: RESULT.nothingCharged,
        detail: 'The request was cut off before anything was sent: nothing was charged.',
        cause: 'abandoned request',
      });
    return abandoned.length;
  });
}

/** Starts the flow of refunds that were reserved by a process that died before it could. */
export async function restartOrphanedRefunds(system: Knex, engine: Engine, firstAnswerMs: number): Promise<number> {
  const orphans: RefundRow[] = await system('refunds')
    .where({ status: 'pending', attempts: 0 })
    .where('created_at', '<', new Date(Date.now() - firstAnswerMs))
    .limit(BATCH);
  for (const refund of orphans)
    await startRefund(engine, refund).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  return orphans.length;
}

/** Wakes the flow of disputes whose merchant ordered something while the engine was away. */
export async function wakeOrderedDisputes(system: Knex, engine: Engine, firstAnswerMs: number): Promise<number> {
  const disputes: DisputeRow[] = await system('disputes')
    .whereIn(
      'id',
      system('dispute_operations')
        .where({ status: 'pending', attempts: 0 })
        .where('created_at', '<', new Date(Date.now() - firstAnswerMs))
        .limit(BATCH)
        .select('dispute_id'),
    )
    .whereNotIn('status', ['won', 'lost']);
  for (const dispute of disputes) await proceedWithDispute(engine, dispute);
  return disputes.length;
}

/** Statuses in which a payment has a flow. */
const OPEN = ['initiated', 'pending', 'requires_action', 'authorized'];

/**
 * Looks after open payments, refunds and disputes whose flow is gone: terminated by hand, or lost with the engine's database.
 * Each call looks at the next ones that have not moved for `quietMs`; a flow that does not run is started anew.
 */
export class LostFlows {
  private afterPayment = '';
  private afterRefund = '';
  private afterDispute = '';

  constructor(
    private readonly system: Knex,
    private readonly engine: Engine,
    private readonly quietMs: number,
  ) {}

  /** Answers how many flows were started. */
  async restart(): Promise<number> {
    const payments: PaymentRow[] = await this.quiet('payments', this.afterPayment)
      .whereIn('status', OPEN)
      .where('attempts', '>', 0);
    const refunds: RefundRow[] = await this.quiet('refunds', this.afterRefund)
      .where({ status: 'pending' })
      .where('attempts', '>', 0);
    const disputes: DisputeRow[] = await this.quiet('disputes', this.afterDispute).whereNotIn('status', [
      'won',
      'lost',
    ]);
    this.afterDispute = disputes.length === BATCH ? disputes.at(-1)!.id : '';
    this.afterPayment = payments.length === BATCH ? payments.at(-1)!.id : '';
    this.afterRefund = refunds.length === BATCH ? refunds.at(-1)!.id : '';
    let started = 0;
    for (const payment of payments) {
      if (await this.runs(flowOf(payment).id)) continue;
      await startPayment(this.engine, payment, { again: true });
      started += 1;
    }
    for (const refund of refunds) {
      if (await this.runs(workflowId.refund(refund.id))) continue;
      await startRefund(this.engine, refund, { again: true });
      started += 1;
    }
    for (const dispute of disputes) {
      if (await this.runs(workflowId.dispute(dispute.processor, dispute.case_id))) continue;
      await proceedWithDispute(this.engine, dispute);
      started += 1;
    }
    return started;
  }

  private quiet(table: 'payments' | 'refunds' | 'disputes', after: string) {
    return this.system(table)
      .where('id', '>', after)
      .where('updated_at', '<', new Date(Date.now() - this.quietMs))
      .orderBy('id')
      .limit(BATCH);
  }

  private async runs(id: string): Promise<boolean> {
    try {
      return (await this.engine.client.workflow.getHandle(id).describe()).status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }
}
