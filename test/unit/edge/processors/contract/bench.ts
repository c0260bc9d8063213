import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  AuthorizeRequest,
  CallbackReceiver,
  Capabilities,
  Connector,
  PaymentKind,
  ProcessorEvent,
} from '../../../../../src/domain/connector';
import type { AuthorizeAnswer, PaymentInquiry } from '../../../../../src/domain/processor-answers';
import { createSimulator, type Simulator } from '../../../../../src/sandbox/simulator/app';
import type { SentRequest } from '../../../../../src/sandbox/simulator/callbacks';
import { CallbackSink } from '../callback-sink';
import { ScriptedProcessor } from '../scripted-processor';
import { type CardKind, cardInstrument, isCardKind, MEANS, type Means } from './means';
import type { ConnectorSpec } from './spec';

export const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });

/** One connector before the real simulator over HTTP, and before a processor that may say anything. */
export class Bench {
  readonly capabilities: Capabilities;
  readonly receivers: readonly CallbackReceiver[];
  /** Whether it takes callbacks that nobody signs. */
  readonly unsigned: boolean;
  /** What the connector is tried with where it does not matter. */
  readonly usual: Means;
  readonly sink = new CallbackSink();
  private readonly scripted = new ScriptedProcessor();
  private readonly home = mkdtempSync(join(tmpdir(), 'tillway-connector-'));
  private simulator!: Simulator;
  private hastySimulator!: Simulator;
  simulatorUrl!: string;
  connector!: Connector;
  /** Does not wait long for an answer. */
  impatient!: Connector;
  /** At a processor that leaves its payers no time. */
  hasty!: Connector;

  constructor(readonly spec: ConnectorSpec) {
    const { capabilities, receivers } = spec.create({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 1_000 });
    this.capabilities = capabilities;
    this.receivers = receivers;
    this.unsigned = receivers.some(({ unsigned }) => unsigned);
    this.usual = MEANS[this.capabilities.kinds[0]!][0]!;
  }

  async start(): Promise<void> {
    const { processor, secret, create } = this.spec;
    await this.sink.start();
    await this.scripted.start();
    const options = {
      publicUrl: this.sink.url,
      secrets: { [processor]: secret },
      settlementEveryMs: 50,
      chargebackAfterMs: 50,
      refundDeclineMs: 50,
      lateOutcomeMs: 50,
      disputeDecisionAfterMs: 50,
      stepEveryMs: 50,
    };
    this.simulator = createSimulator({ ...options, home: join(this.home, 'usual') });
    this.hastySimulator = createSimulator({ ...options, home: join(this.home, 'hasty'), longestPayerTtlMs: 1 });
    this.simulatorUrl = await this.simulator.start();
    this.connector = create({ baseUrl: `${this.simulatorUrl}/${processor}`, timeoutMs: 5_000 });
    this.impatient = create({ baseUrl: `${this.simulatorUrl}/${processor}`, timeoutMs: 300 });
    this.hasty = create({ baseUrl: `${await this.hastySimulator.start()}/${processor}`, timeoutMs: 5_000 });
  }

  async stop(): Promise<void> {
    await this.simulator.stop();
    await this.hastySimulator.stop();
    await this.scripted.stop();
    await this.sink.stop();
    rmSync(this.home, { recursive: true });
  }

  serves(kind: PaymentKind): boolean {
    return this.capabilities.kinds.includes(kind);
  }

  /** A kind it serves that carries a card; undefined where there is none. */
  get cardKind(): CardKind | undefined {
    return this.capabilities.kinds.find(isCardKind);
  }

  order(means: Means = this.usual, overrides: Partial<AuthorizeRequest> = {}): AuthorizeRequest {
    const reference = `pay_${randomUUID()}`;
    return {
      reference,
      idempotencyKey: `payment/${reference}/authorize`,
      money: { amountMinor: 1_000n, currency: means.currency },
      capture: true,
      threeDS: 'auto',
      instrument: means.instrument,
      ...overrides,
    };
  }

  cardOrder(number: string, overrides: Partial<AuthorizeRequest> = {}): AuthorizeRequest {
    const kind = this.cardKind ?? 'card';
    return this.order(MEANS[kind][0], { instrument: cardInstrument(kind, number), ...overrides });
  }

  refundOf({ reference, money }: AuthorizeRequest, amountMinor: bigint) {
    const refundReference = `ref_${randomUUID()}`;
    return {
      paymentReference: reference,
      refundReference,
      idempotencyKey: `refund/${refundReference}`,
      money: { amountMinor, currency: money.currency },
    };
  }

  /** A payment that its payer has paid: captured, or authorized where only that was asked for. */
  async paid(overrides: Partial<AuthorizeRequest> = {}, means: Means = this.usual): Promise<AuthorizeRequest> {
    const request = this.order(means, overrides);
    const answer = await this.connector.authorize(request);
    if (answer.kind === 'payer_action') await this.press(answer, 'authenticated');
    await this.inquiredUntil(request.reference, request.capture ? 'captured' : 'authorized');
    return request;
  }

  /** Asks until the processor says so; jest bounds the wait. */
  async inquiredUntil(reference: string, kind: PaymentInquiry['kind']): Promise<PaymentInquiry> {
    for (;;) {
      const answer = await this.connector.inquirePayment(reference);
      if (answer.kind === kind) return answer;
      await pause();
    }
  }

  /** Presses a button on the payer's page. Answers the HTTP status and where it leads. */
  async press(answer: AuthorizeAnswer, outcome: string): Promise<{ status: number; location: string | null }> {
    const page = await fetch(pageOf(answer), {
      method: 'POST',
      body: new URLSearchParams({ outcome }),
      redirect: 'manual',
    });
    return { status: page.status, location: page.headers.get('location') };
  }

  async chargesOf(reference: string): Promise<Record<string, unknown>[]> {
    const response = await fetch(`${this.control}/charges?reference=${reference}`);
    return ((await response.json()) as { data: Record<string, unknown>[] }).data;
  }

  async inject(on: string, fault: string, reference: string): Promise<void> {
    const response = await this.post('faults', { on, fault, reference });
    expect(response.status).toBe(201);
  }

  /** Makes the processor send a callback now. Answers what it sent. */
  async tell(reference: string, event: string, order: object = {}): Promise<SentRequest> {
    const response = await this.post('callbacks', { reference, event, ...order });
    expect(response.status).toBe(201);
    return ((await response.json()) as { request: SentRequest }).request;
  }

  /** A connector whose processor answers everything with this. */
  readonly asking = (answer: { status?: number; body: string }): Connector => {
    this.scripted.answer = { status: 200, ...answer };
    return this.spec.create({ baseUrl: this.scripted.url, timeoutMs: 5_000 });
  };

  /** What our receivers make of everything that arrived about a reference, once there is something of this type. */
  async event(reference: string, ...types: ProcessorEvent['type'][]): Promise<ProcessorEvent> {
    for (;;) {
      const found = this.events().find((event) => event.reference === reference && types.includes(event.type));
      if (found) return found;
      await pause();
    }
  }

  /** What our receivers make of everything that arrived so far. Throws where one is not signed as it should be. */
  events(): ProcessorEvent[] {
    return this.sink.received.flatMap((raw) => {
      const receiver = this.connector.receivers.find(({ name }) => raw.path === `/callbacks/${name}`);
      if (!receiver?.verify(raw, this.spec.secret))
        throw new Error(`a callback to ${raw.path} is not signed as it should be`);
      return receiver.parse(raw);
    });
  }

  private get control(): string {
    return `${this.simulatorUrl}/sim/processors/${this.spec.processor}`;
  }

  private post(path: string, body: object): Promise<Response> {
    return fetch(`${this.control}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
}

/** The page on which the sandbox's payer does their part. */
export function pageOf(answer: AuthorizeAnswer): string {
  if (answer.kind !== 'challenge' && answer.kind !== 'payer_action') throw new Error(`no page but ${answer.kind}`);
  return answer.action.fields?.pageUrl ?? (answer.action.url as string);
}

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

export function stringOfBigint(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
