import type { Context } from 'koa';
import type { Money } from '../../domain/money';
import type { Order } from './acquirer';
import type { Call, Reply } from './calls';
import type { Desk } from './personality';
import type { Charge, Refund } from './records';
import { Refusal } from './refusal';

/** How a processor writes what it answers. */
export interface Presentation<Shown> {
  /** @param pageUrl the payer's page; empty where the payment never had one. */
  presentPayment(charge: Charge, pageUrl: string): Shown;
  presentRefund(refund: Refund): Shown;
  /** Default: 200 and JSON. */
  reply?(shown: Shown): Reply;
  /** With how the payment or refund stands, where a call is refused because of that. */
  refuse(refusal: Refusal, stands?: Shown, what?: 'payment' | 'refund'): Reply;
}

/** The operations that every processor has, whatever wire they come over: idempotent, and with the faults ordered. */
export class Operations<Shown> {
  constructor(
    private readonly desk: Pick<Desk, 'processor' | 'acquirer' | 'payers' | 'books' | 'calls' | 'pageUrl'>,
    private readonly wire: Presentation<Shown>,
  ) {}

  authorize(ctx: Context, order: Order): Promise<void> {
    const { reference, idempotencyKey, amountMinor, currency, capture } = order;
    return this.answer(ctx, {
      on: 'authorize',
      reference,
      idempotencyKey,
      fingerprint: `authorize ${reference} ${amountMinor} ${currency} ${capture}`,
      counted: true,
      perform: () => {
        const charge = this.desk.acquirer.authorize(order);
        return charge && { ...this.payment(charge), silent: charge.silent };
      },
    });
  }

  inquire(ctx: Context, reference: string): Promise<void> {
    const perform = () => this.payment(this.desk.acquirer.find(reference));
    return this.answer(ctx, { on: 'inquiry', reference, fingerprint: '', perform });
  }

  completeAuthentication(ctx: Context, reference: string, idempotencyKey: string, cres: string): Promise<void> {
    return this.answer(ctx, {
      on: 'authorize',
      reference,
      idempotencyKey,
      fingerprint: `authentication ${reference}`,
      perform: this.onPayment(reference, () => this.desk.payers.completeAuthentication(reference, cres)),
    });
  }

  capture(ctx: Context, reference: string, idempotencyKey: string, { amountMinor, currency }: Money): Promise<void> {
    return this.answer(ctx, {
      on: 'capture',
      reference,
      idempotencyKey,
      fingerprint: `capture ${reference} ${amountMinor} ${currency}`,
      perform: this.onPayment(reference, () => this.desk.acquirer.capture(reference, amountMinor, currency)),
    });
  }

  cancel(ctx: Context, reference: string, idempotencyKey: string): Promise<void> {
    return this.answer(ctx, {
      on: 'capture',
      reference,
      idempotencyKey,
      fingerprint: `cancel ${reference}`,
      perform: this.onPayment(reference, () => this.desk.acquirer.cancel(reference)),
    });
  }

  refund(
    ctx: Context,
    paymentReference: string,
    idempotencyKey: string,
    order: Money & { reference: string },
  ): Promise<void> {
    const { acquirer } = this.desk;
    return this.answer(ctx, {
      on: 'refund',
      reference: paymentReference,
      idempotencyKey,
      fingerprint: `refund ${paymentReference} ${order.reference} ${order.amountMinor} ${order.currency}`,
      perform: () => {
        try {
          return this.refundReply(acquirer.refund(paymentReference, order));
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'duplicate_reference') throw error;
          const known = this.wire.presentRefund(acquirer.findRefund(order.reference));
          return this.wire.refuse(error, known, 'refund');
        }
      },
    });
  }

  inquireRefund(ctx: Context, reference: string): Promise<void> {
    return this.answer(ctx, {
      on: 'inquiry',
      reference: this.desk.books.refund(this.desk.processor, reference)?.paymentReference ?? reference,
      fingerprint: '',
      perform: () => this.refundReply(this.desk.acquirer.findRefund(reference)),
    });
  }

  private answer(ctx: Context, call: Omit<Call, 'processor'>): Promise<void> {
    return this.desk.calls.answer(ctx, { processor: this.desk.processor, ...call });
  }

  /** An operation that the payment's state does not allow is answered with the payment. */
  private onPayment(reference: string, perform: () => Charge): () => Reply {
    return () => {
      try {
        return this.payment(perform());
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'invalid_state') throw error;
        return this.wire.refuse(error, this.shown(this.desk.acquirer.find(reference)), 'payment');
      }
    };
  }

  private payment(charge: Charge): Reply {
    return replyWith(this.wire, this.shown(charge));
  }

  private shown(charge: Charge): Shown {
    return this.wire.presentPayment(charge, charge.challenge ? this.desk.pageUrl(charge.challenge.id) : '');
  }

  private refundReply(refund: Refund): Reply {
    return replyWith(this.wire, this.wire.presentRefund(refund));
  }
}

/** The answer of a call that was not refused. */
export function replyWith<Shown>(wire: Pick<Presentation<Shown>, 'reply'>, shown: Shown): Reply {
  return wire.reply?.(shown) ?? { status: 200, body: shown };
}
