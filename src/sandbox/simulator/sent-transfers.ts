import type { ProcessorId } from '../../domain/connector';
import type { Money } from '../../domain/money';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import type { NoticeEvent } from './notice';
import { makeId, type SentTransfer } from './records';
import { Refusal } from './refusal';
import type { Timers } from './timers';

interface SentTransfersParts {
  processor: ProcessorId;
  books: Books;
  callbacks: CallbackSender;
  timers: Timers;
  /** From the order to its end, in milliseconds. */
  settleAfterMs: number;
}

export interface TransferOrder extends Money {
  reference: string;
  idempotencyKey: string;
  iban: string;
  holder: string;
  text: string;
}

/** What becomes of a transfer, by the last two digits of the account number; every other one settles. */
const REFUSED = '02';
const COMES_BACK = '04';
const CLOSES_CONNECTION = '19';
const NEVER_ANSWERS = '75';

/** Transfers that one simulated processor sends for its callers. */
export class SentTransfers {
  constructor(private readonly parts: SentTransfersParts) {}

  /** Undefined: the connection is to be closed, and nothing was done. Throws Refusal. */
  send({ iban, ...order }: TransferOrder): SentTransfer | undefined {
    const { processor, books } = this.parts;
    const ending = iban.slice(-2);
    if (ending === CLOSES_CONNECTION) return undefined;
    if (this.of(order.reference).length > 0)
      throw new Refusal('duplicate_reference', 'There is a transfer with this reference.');
    const isRefused = ending === REFUSED;
    const transfer: SentTransfer = {
      ...order,
      id: makeId('ts'),
      processor,
      ibanLast4: iban.slice(-4),
      status: isRefused ? 'refused' : 'accepted',
      comesBack: ending === COMES_BACK,
      silent: ending === NEVER_ANSWERS,
      reason: isRefused ? 'no_such_account' : undefined,
      createdAt: new Date().toISOString(),
    };
    books.save('sentTransfer', transfer);
    if (!isRefused) this.finishLater(transfer);
    return transfer;
  }

  /** Throws Refusal `not_found`. */
  find(reference: string): SentTransfer {
    const [transfer] = this.of(reference);
    if (!transfer) throw new Refusal('not_found', 'There is no such transfer.');
    return transfer;
  }

  /** Newest first; of one reference where it is named. */
  list(reference?: string): SentTransfer[] {
    const all = [...this.parts.books.all('sentTransfer')].filter(({ processor }) => processor === this.parts.processor);
    return all.filter((transfer) => !reference || transfer.reference === reference).reverse();
  }

  /** Takes up after a restart what was to happen later. */
  resume(): void {
    for (const transfer of this.list()) if (transfer.status === 'accepted') this.finishLater(transfer);
  }

  /** The bank of the beneficiary sends back what it had credited. Throws Refusal. */
  giveBack(reference: string): SentTransfer {
    const transfer = this.find(reference);
    if (transfer.status !== 'settled') throw new Refusal('invalid_state', `The transfer is ${transfer.status}.`);
    return this.parts.books.atomically(() => this.comeBack(transfer));
  }

  private of(reference: string): SentTransfer[] {
    return this.list(reference);
  }

  private finishLater({ id, createdAt }: SentTransfer): void {
    const { books, timers, settleAfterMs } = this.parts;
    timers.after(Date.parse(createdAt) + settleAfterMs - Date.now(), () =>
      books.atomically(() => {
        const transfer = books.get('sentTransfer', id);
        if (transfer?.status !== 'accepted') return;
        this.addLine('refund', transfer);
        if (transfer.comesBack) this.comeBack(transfer);
        else this.move({ ...transfer, status: 'settled' }, 'settled');
      }),
    );
  }

  private comeBack(transfer: SentTransfer): SentTransfer {
    this.addLine('capture', transfer);
    return this.move({ ...transfer, status: 'returned', reason: 'account_closed' }, 'refunded');
  }

  private move(transfer: SentTransfer, event: NoticeEvent): SentTransfer {
    const { books, callbacks, processor } = this.parts;
    const { id: processorReference, reference, amountMinor, currency, reason } = transfer;
    books.save('sentTransfer', transfer);
    callbacks.enqueue({
      eventId: makeId('evt'),
      processor,
      event,
      isSentTransfer: true,
      reference,
      paymentReference: reference,
      processorReference,
      amountMinor,
      currency,
      reason,
      occurredAt: new Date().toISOString(),
    });
    return transfer;
  }

  /** Money that went out is a line of the next batch, and so is money that came back. */
  private addLine(kind: 'refund' | 'capture', { id, processor, reference, amountMinor, currency }: SentTransfer): void {
    const movement = { kind, reference, paymentReference: reference, amountMinor, currency, feeMinor: 0n };
    this.parts.books.save('line', { id: makeId('line'), processor, chargeId: id, ...movement });
  }
}
