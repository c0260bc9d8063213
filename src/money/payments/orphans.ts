import type { Knex } from 'knex';
import { RESULT } from '../../domain/result-codes';
import { giveBackLowValue } from '../authentication/low-value';
import type { Ledger } from '../ledger/ledger';
import type { PaymentRow } from './payment';
import { applyChange } from './transition';

const BATCH = 100;
/** A running request starts its flow much sooner than this. */
const MARGIN_MS = 60_000;

/**
 * Ends payments that are not marked as sent, whose request was accepted by a process that died before it started their flow.
 * Nothing was sent, so nothing was charged; a flow that should start late all the same finds the payment ended and does nothing.
 */
export async function failAbandonedPayments(system: Knex, ledger: Ledger, firstAnswerMs: number): Promise<number> {
  return system.transaction(async (trx) => {
    const abandoned: PaymentRow[] = await trx('payments')
      .where({ status: 'initiated', attempts: 0 })
      .where('created_at', '<', new Date(Date.now() - firstAnswerMs - MARGIN_MS))
      .limit(BATCH)
      .forUpdate()
      .skipLocked();
    for (const payment of abandoned) {
      await giveBackLowValue(trx, payment);
      await applyChange(
        trx,
        ledger,
        payment,
        {
          to: 'failed',
          resultCode: RESULT.nothingCharged,
          detail: 'The request was cut off before anything was sent: nothing was charged.',
          cause: 'abandoned request',
        },
        { forgetCvv: payment.card_id !== null },
      );
    }
    return abandoned.length;
  });
}
