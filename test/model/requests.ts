import { DomainError } from '../../src/domain/errors';
import { newId } from '../../src/domain/ids';
import type { PaymentOrder } from '../../src/money/payments/accept';
import type { PaymentRow } from '../../src/money/payments/payment';
import type { PaymentService } from '../../src/money/payments/service';
import { paymentIdOf } from '../../src/money/payments/topup';
import type { TopupService } from '../../src/money/topups/service';
import type { EngineState, ModelEngine } from './engine/engine';
import type { Ground } from './place';
import type { Modelled } from './processors';

/** A payment that somebody wants to make. */
export interface Plan {
  kind: 'card' | 'bank_transfer' | 'hosted_page';
  card?: string;
  capture: 'automatic' | 'manual';
  route: readonly Modelled[];
  amountMinor: bigint;
  /** Into the wallet of a customer. */
  isTopup?: boolean;
}

/** A capture or cancellation that was accepted: a promise. */
export interface Promised {
  operationId: string;
  paymentId: string;
  kind: 'capture' | 'void';
}

interface RequestParts {
  ground: Ground;
  engine: ModelEngine;
  payments: PaymentService;
  topups: TopupService;
  customerId: string;
}

const METHODS = {
  card: { id: 1, kind: 'card', brand: 'VISA' },
  bank_transfer: { id: 61, kind: 'bank_transfer', brand: 'BANK_TRANSFER' },
  hosted_page: { id: 64, kind: 'hosted_page', brand: 'PAGE_C' },
} as const;

/** What merchants and customers ask the platform for, and what it has promised them. */
export class Requests {
  /** Every payment that was asked for, by id. */
  readonly plans = new Map<string, Plan>();
  readonly promises: Promised[] = [];
  readonly refunds: { refundId: string; paymentId: string }[] = [];

  constructor(private readonly parts: RequestParts) {}

  get payments(): string[] {
    return [...this.plans.keys()];
  }

  /** Asks for a payment. The same id again is a repeat of the request. */
  async pay(plan: Plan, engine: EngineState, topupId = newId('topup')): Promise<void> {
    const paymentId = paymentIdOf(topupId);
    this.plans.set(paymentId, plan);
    await this.accepted(engine, () =>
      plan.isTopup ? this.topUp(plan, topupId) : this.parts.payments.create(this.orderOf(plan, paymentId)),
    );
  }

  async operate(kind: Promised['kind'], paymentId: string, engine: EngineState, amountMinor?: bigint): Promise<void> {
    const { payments } = this.parts;
    const operationId = newId(kind === 'void' ? 'cancellation' : 'capture');
    const scope = this.scopeOf(paymentId);
    const accepted = await this.accepted(engine, async () =>
      kind === 'void'
        ? payments.cancel(await scope, paymentId, { operationId })
        : payments.capture(await scope, paymentId, {
            operationId,
            amountFor: amountMinor ? () => amountMinor : undefined,
          }),
    );
    if (accepted) this.promises.push({ operationId, paymentId, kind });
  }

  async refund(paymentId: string, engine: EngineState, amountFor?: (payment: PaymentRow) => bigint): Promise<void> {
    const refundId = newId('refund');
    const scope = await this.scopeOf(paymentId);
    const accepted = await this.accepted(engine, () =>
      this.parts.payments.refund(scope, { refundId, paymentId, ...scope, amountFor }),
    );
    if (accepted) this.refunds.push({ refundId, paymentId });
  }

  private topUp({ amountMinor, card, capture, route }: Plan, topupId: string): Promise<unknown> {
    const { tenantId } = this.parts.ground.tenant;
    const { customerId } = this.parts;
    const { method, processor, currency, details, requestId } = this.orderOf(
      { kind: 'card', card, capture, route, amountMinor },
      paymentIdOf(topupId),
    );
    const scope = { tenantId, customerId, actor: { id: customerId, source: '127.0.0.1', requestId } };
    return this.parts.topups.create(scope, {
      topupId,
      tenantId,
      customerId,
      method,
      processor,
      amountMinor,
      currency,
      captureMode: capture,
      details,
      card: cardOf(card),
      requestId,
    });
  }

  private async scopeOf(paymentId: string): Promise<{ tenantId: string; organizationId: string }> {
    const { tenant, house } = this.parts.ground;
    const { tenantId } = tenant;
    const isTopup = this.plans.get(paymentId)?.isTopup;
    return { tenantId, organizationId: isTopup ? (await house.of(tenantId)).organizationId : tenant.organizationId };
  }

  /** Answers false when the platform refuses the request. */
  private async accepted(engine: EngineState, request: () => Promise<unknown>): Promise<boolean> {
    try {
      await this.parts.engine.during(engine, request);
      return true;
    } catch (error) {
      if (error instanceof DomainError) return false;
      throw error;
    }
  }

  private orderOf({ kind, card, capture, route, amountMinor }: Plan, paymentId: string): PaymentOrder {
    const { tenantId, organizationId, terminalId } = this.parts.ground.tenant;
    return {
      paymentId,
      tenantId,
      organizationId,
      terminalId,
      merchantTransactionId: paymentId,
      method: METHODS[kind],
      processor: route[0]!,
      amountMinor,
      currency: 'EUR',
      captureMode: capture,
      details: {
        threeDS: 'auto',
        storeCard: false,
        notificationUrl: 'https://merchant.example/notices',
        returnUrl: 'https://merchant.example/back',
        route: { processors: [...route], reason: 'the model' },
        ...(kind === 'card' ? {} : { instrument: { kind } }),
      },
      card: cardOf(card),
      requestId: 'req_model',
    };
  }
}

const cardOf = (number: string | undefined) =>
  number ? { number, holder: 'A PAYER', expiryMonth: '12', expiryYear: '2040', cvv: '123' } : undefined;
