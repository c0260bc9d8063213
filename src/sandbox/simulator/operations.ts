import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { ProcessorId } from '../../domain/connector';
import type { Order } from './acquirer';
import { type Charge, makeId, type Refund } from './books';
import type { Call, Reply } from './calls';
import type { Desk } from './personality';
import { Refusal } from './refusal';

/** How a processor writes what it answers. */
export interface Presentation {
  payment(charge: Charge): Reply;
  refund(refund: Refund): Reply;
  /** A call that is refused because of how a payment or refund stands, with how it stands. */
  conflict(refusal: Refusal, stands: { payment: Charge } | { refund: Refund }): Reply;
}

interface Amount {
  amountMinor: bigint;
  currency: string;
}

/** The operations that every processor has, whatever wire they come over: idempotent, and with the faults ordered. */
export class Operations {
  constructor(
    private readonly processor: ProcessorId,
    private readonly desk: Pick<Desk, 'acquirer' | 'books' | 'calls'>,
    private readonly present: Presentation,
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
        return charge && { ...this.present.payment(charge), silent: charge.silent };
      },
    });
  }

  inquire(ctx: Context, reference: string): Promise<void> {
    const perform = () => this.present.payment(this.desk.acquirer.find(reference));
    return this.answer(ctx, { on: 'inquiry', reference, fingerprint: '', perform });
  }

  completeAuthentication(ctx: Context, reference: string, idempotencyKey: string, cres: string): Promise<void> {
    return this.answer(ctx, {
      on: 'authorize',
      reference,
      idempotencyKey,
      fingerprint: `authentication ${reference}`,
      perform: this.onPayment(reference, () => this.desk.acquirer.completeAuthentication(reference, cres)),
    });
  }

  capture(ctx: Context, reference: string, idempotencyKey: string, { amountMinor, currency }: Amount): Promise<void> {
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
    order: Amount & { reference: string },
  ): Promise<void> {
    const { acquirer } = this.desk;
    return this.answer(ctx, {
      on: 'refund',
      reference: paymentReference,
      idempotencyKey,
      fingerprint: `refund ${paymentReference} ${order.reference} ${order.amountMinor} ${order.currency}`,
      perform: () => {
        try {
          return this.present.refund(acquirer.refund(paymentReference, order));
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'duplicate_reference') throw error;
          return this.present.conflict(error, { refund: acquirer.findRefund(order.reference) });
        }
      },
    });
  }

  inquireRefund(ctx: Context, reference: string): Promise<void> {
    return this.answer(ctx, {
      on: 'inquiry',
      reference: this.desk.books.refund(this.processor, reference)?.paymentReference ?? reference,
      fingerprint: '',
      perform: () => this.present.refund(this.desk.acquirer.findRefund(reference)),
    });
  }

  private answer(ctx: Context, call: Omit<Call, 'processor'>): Promise<void> {
    return this.desk.calls.answer(ctx, { processor: this.processor, ...call });
  }

  /** An operation that the payment's state does not allow is answered with the payment. */
  private onPayment(reference: string, perform: () => Charge): () => Reply {
    return () => {
      try {
        return this.present.payment(perform());
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'invalid_state') throw error;
        return this.present.conflict(error, { payment: this.desk.acquirer.find(reference) });
      }
    };
  }
}

/** Turns away who does not have the key. Constant time. Throws Refusal `unauthorized`. */
export function authenticate(given: string, expected: string): void {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  if (one.length !== other.length || !timingSafeEqual(one, other))
    throw new Refusal('unauthorized', 'The API key is missing or wrong.');
}

/** The `Idempotency-Key` header. Without a key, each request is one of its own. */
export function keyOf(ctx: Context): string {
  return ctx.get('idempotency-key') || makeId('key');
}

/** A parameter of the path. */
export function parameter(ctx: Context, name: string): string {
  return (ctx as unknown as { params: Record<string, string> }).params[name] ?? '';
}
