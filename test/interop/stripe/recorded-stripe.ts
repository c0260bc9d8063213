import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type StripeMock, startStripeMock } from './stripe-mock';

// biome-ignore lint/suspicious/noExplicitAny: Stripe's objects are what is under test, so their type is not assumed
export type Shape = Record<string, any>;

export interface StripeRequest {
  /** Such as `POST /v1/refunds`. */
  call: string;
  shape: string;
  /** Parameters of query or form, as they were encoded; uploads have none. */
  form: Record<string, string>;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** What stripe-mock, where it runs, thinks of it. */
  verdict?: { status: number; body: string };
}

type Answer = Shape | { status: number; body: unknown } | 'cut';

/** Which recorded shape answers what. */
const ROUTES: [RegExp, string][] = [
  [/^POST \/v1\/payment_methods$/, 'payment_method'],
  [/^GET \/v1\/payment_intents\/search$/, 'payment_intent_search'],
  [/^GET \/v1\/payment_intents$/, 'payment_intent_list'],
  [/^(GET|POST) \/v1\/payment_intents(\/[^/]+)?(\/(capture|cancel|confirm))?$/, 'payment_intent'],
  [/^POST \/v1\/refunds$/, 'refund'],
  [/^GET \/v1\/refunds$/, 'refund_list'],
  [/^(GET|POST) \/v1\/disputes\/[^/]+(\/close)?$/, 'dispute'],
  [/^POST \/v1\/files$/, 'file'],
  [/^GET \/v1\/payouts\/[^/]+$/, 'payout'],
  [/^GET \/v1\/payouts$/, 'payout_list'],
  [/^GET \/v1\/balance_transactions$/, 'balance_transaction_list'],
];

/** An object of Stripe's as stripe-mock once gave it; RECORD_STRIPE=1 writes those of this run. */
export function shapeOf(name: string): Shape {
  return JSON.parse(readFileSync(fileOf(name), 'utf8'));
}

function fileOf(name: string): string {
  return join(__dirname, 'shapes', `${name}.json`);
}

/**
 * Answers with recorded shapes, changed as the test says. Each request is put before stripe-mock too, where that can be
 * had, for its opinion of the parameters.
 */
export class RecordedStripe {
  readonly requests: StripeRequest[] = [];
  /** By shape. Without an entry, the shape as it is. */
  answers: Record<string, (shape: Shape, request: StripeRequest) => Answer> = {};
  url = '';
  private mock?: StripeMock;
  private readonly server: Server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const answer = await this.receive(incoming, Buffer.concat(chunks));
      if (answer === 'cut') return void incoming.socket.destroy();
      const isWhole = 'status' in answer && 'body' in answer;
      const [status, body] = isWhole ? [answer.status, answer.body] : [200, answer];
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });

  async start(): Promise<void> {
    this.mock = await startStripeMock();
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.mock?.stop();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** What stripe-mock did not accept. */
  refused(): { call: string; body: string }[] {
    return this.requests.flatMap(({ call, verdict }) =>
      verdict && verdict.status !== 200 ? [{ call, body: verdict.body }] : [],
    );
  }

  get isChecked(): boolean {
    return this.mock !== undefined;
  }

  private async receive(incoming: IncomingMessage, body: Buffer): Promise<Answer> {
    const { pathname, search } = new URL(incoming.url!, 'http://stripe');
    const call = `${incoming.method} ${pathname}`;
    const shape = ROUTES.find(([route]) => route.test(call))?.[1];
    if (!shape) throw new Error(`nothing is recorded for ${call}`);
    const isForm = !incoming.headers['content-type']?.startsWith('multipart/');
    const form = Object.fromEntries(new URLSearchParams(incoming.method === 'GET' ? search : isForm ? `${body}` : ''));
    const request: StripeRequest = { call, shape, form, headers: incoming.headers, body };
    this.requests.push(request);
    request.verdict = await this.ask(incoming, request);
    if (process.env.RECORD_STRIPE && request.verdict?.status === 200)
      writeFileSync(fileOf(shape), `${JSON.stringify(JSON.parse(request.verdict.body), null, 2)}\n`);
    return this.answers[shape]?.(shapeOf(shape), request) ?? shapeOf(shape);
  }

  private async ask(incoming: IncomingMessage, { body, headers }: StripeRequest): Promise<StripeRequest['verdict']> {
    if (!this.mock) return undefined;
    const response = await fetch(`${this.mock.url}${incoming.url}`, {
      method: incoming.method,
      headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
      ...(incoming.method === 'GET' ? {} : { body: new Uint8Array(body) }),
    });
    return { status: response.status, body: await response.text() };
  }
}
