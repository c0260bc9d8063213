import { WorkflowNotFoundError } from '@temporalio/client';
import type { Knex } from 'knex';
import { workflowId } from '../src/domain/flows';
import type { Engine } from '../src/foundation/temporal/engine';
import type { DisputeRow } from '../src/money/disputes/dispute';
import { proceedWithDispute } from '../src/money/disputes/start';
import type { PaymentRow, RefundRow } from '../src/money/payments/payment';
import { flowOf, startPayment, startRefund } from '../src/money/payments/start';

const BATCH = 100;

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
