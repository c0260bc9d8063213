import type Router from '@koa/router';
import { referenceIn } from '../../api';
import type { Call, Reply } from '../../calls';
import type { Desk } from '../../personality';
import type { SentTransfer, Transfer } from '../../records';
import { Refusal } from '../../refusal';
import { readForm, textOf } from '../../request';
import { keyOf, presentSentTransfer, presentTransfer, readTransferOrder, refuse, reply } from './wire';

/** What the processor's callers do with incoming transfers: each call is answered with how the transfer stands. */
export function serveTransfers(router: Router, { processor, calls, transfers }: Desk): void {
  const shown = (transfer: Transfer): Reply => reply(presentTransfer(transfer));
  /** What the state of a transfer does not allow is answered with the transfer. */
  const unlessRefused = (id: string, perform: () => Transfer) => () => {
    try {
      return shown(perform());
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_state') throw error;
      return refuse(error, presentTransfer(transfers.find(id)));
    }
  };
  const call = (on: Call['on'], reference: string, fingerprint: string) => ({ processor, on, reference, fingerprint });

  router.get('/transferencias/:reference', async (ctx) => {
    const id = referenceIn(ctx);
    await calls.answer(ctx, { ...call('inquiry', id, ''), perform: () => shown(transfers.find(id)) });
  });
  router.post('/transferencias/:reference/afetacao', async (ctx) => {
    const id = referenceIn(ctx);
    const form = await readForm(ctx);
    const payment = textOf(form, 'pagamento');
    await calls.answer(ctx, {
      ...call('capture', id, `assign ${id} ${payment}`),
      idempotencyKey: keyOf(ctx, form),
      perform: unlessRefused(id, () => transfers.assign(id, payment)),
    });
  });
  router.post('/transferencias/:reference/devolucao', async (ctx) => {
    const id = referenceIn(ctx);
    const form = await readForm(ctx);
    const reference = textOf(form, 'referencia');
    await calls.answer(ctx, {
      ...call('refund', id, `return ${id} ${reference}`),
      idempotencyKey: keyOf(ctx, form),
      perform: unlessRefused(id, () => transfers.giveBack(id, reference)),
    });
  });
}

/** Transfers that the processor sends for its callers. */
export function serveSentTransfers(router: Router, { processor, calls, sentTransfers }: Desk): void {
  const shown = (transfer: SentTransfer): Reply => reply(presentSentTransfer(transfer));
  router.get('/transferencias-emitidas/:reference', async (ctx) => {
    const reference = referenceIn(ctx);
    const perform = () => shown(sentTransfers.find(reference));
    await calls.answer(ctx, { processor, on: 'inquiry', reference, fingerprint: '', perform });
  });
  router.post('/transferencias-emitidas', async (ctx) => {
    const order = readTransferOrder(await readForm(ctx));
    const { reference, idempotencyKey, amountMinor, currency, iban } = order;
    await calls.answer(ctx, {
      processor,
      on: 'payout',
      reference,
      idempotencyKey,
      fingerprint: `transfer ${reference} ${amountMinor} ${currency} ${iban.slice(-4)}`,
      counted: true,
      perform: () => {
        const transfer = sentTransfers.send(order);
        return transfer && { ...shown(transfer), silent: transfer.silent };
      },
    });
  });
}
