import type { ProcessorId } from '../../domain/connector';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import type { Payers } from './payers';
import { type Charge, type Line, makeId, newTransfer, type Transfer } from './records';
import { Refusal } from './refusal';

interface TransfersParts {
  processor: ProcessorId;
  books: Books;
  callbacks: CallbackSender;
  payers: Payers;
}

/**
 * Bank transfers that come in on the accounts of one simulated processor. One that comes on the account of a payment which
 * takes it counts towards that payment. The processor keeps every other one until it is told what to do with it.
 */
export class Transfers {
  constructor(private readonly parts: TransfersParts) {}

  /** Somebody sent money. `told` resolves when the other side was tried once. */
  arrive(sent: Pick<Transfer, 'iban' | 'amountMinor' | 'currency' | 'text' | 'payerName'>): {
    transfer: Transfer;
    told: Promise<void>;
  } {
    const { processor, books, callbacks, payers } = this.parts;
    const transfer = newTransfer({ ...sent, processor });
    return books.atomically(() => {
      const charge = this.chargeOf(transfer);
      if (charge) {
        const told = payers.receive(charge, { amountMinor: transfer.amountMinor, transfer });
        return { transfer: this.find(transfer.id), told };
      }
      books.save('transfer', transfer);
      this.addLine('capture', transfer, transfer.id);
      const { id: transferId, amountMinor, currency, payerName } = transfer;
      const details = { iban: transfer.iban, referencia: transfer.text };
      const told = callbacks.enqueue({
        eventId: makeId('evt'),
        processor,
        event: 'received',
        reference: transferId,
        transferId,
        payerName,
        amountMinor,
        currency,
        details,
        occurredAt: transfer.createdAt,
      });
      return { transfer, told };
    });
  }

  /** Counts one that is held towards a payment that waits for money in its currency. Throws Refusal. */
  assign(id: string, paymentReference: string): Transfer {
    const { processor, books, payers } = this.parts;
    const transfer = this.held(id);
    const charge = books.charge(processor, paymentReference);
    const waits = charge?.details?.iban && payers.refresh(charge).status === 'waiting';
    if (!charge || !waits || charge.currency !== transfer.currency)
      throw new Refusal('invalid_state', 'The payment does not wait for such a transfer.');
    return books.atomically(() => {
      this.addLine('refund', transfer, transfer.id);
      payers.receive(charge, { amountMinor: transfer.amountMinor, transfer });
      return this.find(id);
    });
  }

  /** Sends one that is held back to its sender. Throws Refusal. */
  giveBack(id: string, returnReference: string): Transfer {
    const transfer: Transfer = { ...this.held(id), status: 'returned', returnReference };
    return this.parts.books.atomically(() => {
      this.parts.books.save('transfer', transfer);
      this.addLine('refund', transfer, returnReference);
      return transfer;
    });
  }

  /** Throws Refusal `not_found`. */
  find(id: string): Transfer {
    const transfer = this.parts.books.get('transfer', id);
    if (transfer?.processor !== this.parts.processor) throw new Refusal('not_found', 'There is no such transfer.');
    return transfer;
  }

  /** Newest first. */
  list(): Transfer[] {
    return [...this.parts.books.all('transfer')]
      .filter(({ processor }) => processor === this.parts.processor)
      .reverse();
  }

  private held(id: string): Transfer {
    const transfer = this.find(id);
    if (transfer.status !== 'held') throw new Refusal('invalid_state', `The transfer is ${transfer.status}.`);
    return transfer;
  }

  private chargeOf({ processor, iban, currency }: Transfer): Charge | undefined {
    for (const charge of this.parts.books.all('charge'))
      if (charge.processor === processor && charge.details?.iban === iban)
        return charge.currency === currency && this.parts.payers.takes(charge) ? charge : undefined;
    return undefined;
  }

  /** What the next settlement batch will hold: money that counts towards no payment stands under its own id. */
  private addLine(kind: Line['kind'], { id, processor, amountMinor, currency }: Transfer, reference: string): void {
    const movement = { kind, reference, paymentReference: id, amountMinor, currency, feeMinor: 0n };
    this.parts.books.save('line', { id: makeId('line'), processor, chargeId: id, ...movement });
  }
}
