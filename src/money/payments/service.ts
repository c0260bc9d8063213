import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { DomainError } from '../../domain/errors';
import type { Config } from '../../foundation/config/config';
import { command, wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import { startFlow } from '../../foundation/temporal/flows';
import type { CardFingerprints } from '../../foundation/vault/fingerprints';
import type { AuthenticationPolicies } from '../authentication/policies';
import { type Accepted, acceptPayment, type PaymentOrder, withdrawPayment } from './accept';
import { isInFirstStep, REFUND_FLOW, startPayment, wakePayment } from './flow';
import { type OperationOrder, orderOperation } from './operation';
import type { PaymentRow, RefundRow } from './payment';
import { type RefundOrder, reserveRefund } from './refunds';
import { type Authorizing, submitAccepted } from './steps/authorize';
import type { FirstSteps } from './steps/first-steps';
import { type PaymentScope, paymentById } from './visible';

/** Which payments have a flow, as `PAYMENT_FLOWS` says. */
export type PaymentFlows = Config['api']['paymentFlows'];

export interface ServiceOptions {
  /** How long a request waits for the first thing its flow has to tell, in milliseconds. */
  firstAnswerMs: number;
  /** True when this process runs a worker of its own, which then takes the flow's first task. */
  eager: boolean;
  /** Unless all have one, the request takes the first step by itself. */
  flows: PaymentFlows;
}

/**
 * With more payments than this under way, a request does not take the first step before the flow comes to it: where all cores
 * have work, that gains no payment, and callbacks wait longer.
 */
const AHEAD_UP_TO = availableParallelism();

/** What the API does with payments: accept and start, order captures and cancellations, reserve refunds, read. */
export class PaymentService {
  /** Payments that this process creates just now. */
  private underWay = 0;

  constructor(
    private readonly deps: Authorizing & {
      engine: Engine;
      authentication: AuthenticationPolicies;
      firstSteps: FirstSteps;
      log: Logger;
    },
    private readonly options: ServiceOptions,
  ) {}

  /**
   * Accepts a payment and has its first step taken; answers once that has something to tell or the time is up. Safe to
   * repeat with the same payment id. Where its flow takes the step, throws `unavailable` when the engine is away; nothing is
   * kept then.
   */
  async create(order: PaymentOrder): Promise<PaymentRow> {
    this.underWay += 1;
    try {
      return await this.acceptAndStart(order);
    } finally {
      this.underWay -= 1;
    }
  }

  private async acceptAndStart(asked: PaymentOrder): Promise<PaymentRow> {
    const order = await this.authenticated(asked);
    const { firstAnswers, timers } = this.deps;
    const answered = firstAnswers.wait<PaymentRow>(order.paymentId, this.options.firstAnswerMs);
    const { flows, eager } = this.options;
    const eachHasFlow = flows === 'all';
    // Where the flow begins in another process, that marks the payment as sent.
    const leaseMs = eachHasFlow && !eager ? undefined : timers.firstStepLeaseMs;
    const accepted = await acceptPayment(this.deps, order, { leaseMs, hasFlow: flows !== 'due' });
    const { payment, fresh } = accepted;
    if (!fresh && payment.status !== 'initiated') return payment;
    // What was there already may have been sent by a process that died: its flow asks first.
    if (fresh && !eachHasFlow) await this.awaitFirstStep(accepted, order.card);
    else if (fresh && leaseMs) await this.startWithFirstStep(accepted, order.card);
    else await this.startFlow(payment);
    return (await answered) ?? this.byId(order, order.paymentId);
  }

  /** Starts the flow of a payment, which finds its first step in this process. */
  private async startWithFirstStep(accepted: Accepted, card: PaymentOrder['card']): Promise<void> {
    const { id } = accepted.payment;
    const takeBack = this.deps.firstSteps.offer(id, () => submitAccepted(this.deps, accepted, card));
    let isHere = false;
    const begunHere = () => {
      isHere = true;
      // The step need not wait until the flow comes to it.
      if (this.underWay <= AHEAD_UP_TO) void this.goAhead(id);
    };
    await this.startFlow(accepted.payment, { begunHere, mayWithdraw: takeBack });
    // A flow that begins in another process takes the step itself.
    if (!isHere) takeBack();
  }

  /** `mayWithdraw`: false when the payment may be on its way to its processor. */
  private async startFlow(
    payment: PaymentRow,
    { begunHere, mayWithdraw = () => payment.attempts === 0 }: { begunHere?(): void; mayWithdraw?(): boolean } = {},
  ): Promise<void> {
    const { database, engine } = this.deps;
    const { eager } = this.options;
    try {
      // A flow of an earlier try, whose request was taken back, may have ended: the repeat is not lost with it.
      await command(engine, () => startPayment(engine, database.system, payment, { eager, again: true, begunHere }));
    } catch (error) {
      // The engine may have taken it all the same. Whoever is first at the step, or at the row, decides.
      if (mayWithdraw() && (await withdrawPayment(database, payment))) throw unavailable(error);
    }
  }

  /** Takes the first step of a payment while its flow begins, which joins in. Does not reject. */
  protected goAhead(paymentId: string): Promise<void> {
    return this.deps.firstSteps.begin(paymentId);
  }

  /** Returns when the step is done, or goes on without this request, which has no more time. */
  private async awaitFirstStep(accepted: Accepted, card: PaymentOrder['card']): Promise<void> {
    const { firstAnswers } = this.deps;
    const subject = `${accepted.payment.id}, first step`;
    const done = firstAnswers.wait(subject, this.options.firstAnswerMs);
    void this.takeFirstStep(accepted, card).finally(() => firstAnswers.tell(subject));
    await done;
  }

  /** Does not reject: a flow goes on with what waits for somebody, and with a step that failed. With the engine away the workers start it. */
  protected async takeFirstStep(accepted: Accepted, card: PaymentOrder['card']): Promise<void> {
    const { database, engine, log } = this.deps;
    const { eager, flows } = this.options;
    const { payment } = accepted;
    const view = await submitAccepted(this.deps, accepted, card).catch((error: Error) => {
      log.warn({ paymentId: payment.id, error: error.name }, 'first step failed, its flow goes on');
      return undefined;
    });
    const isNoneNeeded = view?.waitsFor === 'nobody' || (flows === 'due' && view && view.waitsFor !== 'provider');
    if (isNoneNeeded) return;
    await wake(engine, () => startPayment(engine, database.system, payment, { eager, again: true, view }));
  }

  /** The order with what the tenant's policy on 3-D Secure makes of it. */
  private async authenticated(order: PaymentOrder): Promise<PaymentOrder> {
    const { tenantId, organizationId, amountMinor, currency, card, cardToken, details } = order;
    if (order.method.kind !== 'card') return order;
    const { database, vault, authentication } = this.deps;
    const { threeDS: asked, recurring, customer, storeCard: storesCard } = details;
    const later = recurring?.originalPaymentId ? 'later' : undefined;
    const saved = (): Promise<CardFingerprints | undefined> =>
      database.tenant(tenantId, (trx) =>
        trx('payment_methods as m')
          .join('vault_cards as c', 'c.id', 'm.card_id')
          .where({ 'm.id': cardToken })
          .first('c.fingerprint', 'c.other_fingerprints'),
      );
    const found = await authentication.apply({
      ...{ tenantId, organizationId, asked, amountMinor, currency, storesCard, country: customer?.country },
      series: recurring?.initial ? 'first' : later,
      fingerprints: async () => (card ? vault.fingerprintsOf(card.number) : saved()),
    });
    if (!found) return order;
    const { threeDS, exemption, lowValue } = found;
    const decided = { threeDS, authentication: { asked, ...(exemption && { exemption }) } };
    return { ...order, details: { ...details, ...decided }, lowValue };
  }

  /** Captures; throws `invalid_state` and `capture_exceeds_authorized`. */
  capture(scope: PaymentScope, paymentId: string, order: Omit<OperationOrder, 'kind'>): Promise<PaymentRow> {
    return this.order(scope, paymentId, { ...order, kind: 'capture' });
  }

  /** Cancels before capture; throws `invalid_state`. */
  cancel(
    scope: PaymentScope,
    paymentId: string,
    order: Omit<OperationOrder, 'kind' | 'amountFor'>,
  ): Promise<PaymentRow> {
    return this.order(scope, paymentId, { ...order, kind: 'void' });
  }

  /**
   * Writes an operation down and has the payment's flow carry it out; answers once it has an answer or the time is up. What
   * is written down is accepted: with the engine or its workers away it is carried out when they are back.
   */
  private async order(scope: PaymentScope, paymentId: string, order: OperationOrder): Promise<PaymentRow> {
    const { database, engine, firstAnswers } = this.deps;
    await this.byId(scope, paymentId);
    const answered = firstAnswers.wait(order.operationId, this.options.firstAnswerMs);
    const { payment, operation } = await orderOperation(this.deps, { tenantId: scope.tenantId, paymentId }, order);
    if (operation.status === 'pending') {
      // Unless each has a flow, whoever takes the first step starts it, and it finds the order.
      const isFound = this.options.flows !== 'all' && isInFirstStep(payment);
      if (isFound || (await wake(engine, () => wakePayment(engine, database.system, payment, 'proceed'))))
        await answered;
    }
    return this.byId(scope, paymentId);
  }

  /** Reserves and starts a refund; throws `invalid_state` and `refund_exceeds_captured`. */
  async refund(scope: PaymentScope, order: RefundOrder): Promise<{ payment: PaymentRow; refund: RefundRow }> {
    const { database, ledger, engine, firstAnswers } = this.deps;
    await this.byId(scope, order.paymentId);
    const answered = firstAnswers.wait(order.refundId, this.options.firstAnswerMs);
    const reserved = await reserveRefund(database.tenant, ledger, order);
    if (reserved.status === 'pending') {
      // Reserved is accepted: with the engine away the workers start its flow when it is back.
      const { eager } = this.options;
      const heard = await wake(engine, () => startFlow(engine, REFUND_FLOW, reserved, { eager }));
      if (heard) await answered;
    }
    const refund: RefundRow = await database.tenant(scope.tenantId, (trx) =>
      trx('refunds').where({ id: order.refundId }).first(),
    );
    return { payment: await this.byId(scope, order.paymentId), refund };
  }

  /** One payment of the scope, in one round trip. Throws `not_found` for anybody else's. */
  byId(scope: PaymentScope, paymentId: string): Promise<PaymentRow> {
    return paymentById(this.deps.database, scope, paymentId);
  }
}

function unavailable(cause: unknown): DomainError {
  const message = 'The service is temporarily unavailable; nothing was charged, try again shortly';
  return new DomainError('unavailable', message, { retryAfterSeconds: 2, cause });
}
