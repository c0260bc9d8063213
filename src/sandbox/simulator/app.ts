import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { type Logger, pino } from 'pino';
import type { ProcessorId } from '../../domain/connector';
import { Books } from './books';
import { CallbackSender } from './callbacks';
import { testAmounts, testCards } from './cards';
import { type Controlled, controlRouter, InvalidOrder } from './control';
import { type DeskTimes, openDesk, resumeDesk } from './desk';
import { WalletIssuer } from './device-wallets/issuer';
import { walletRouter } from './device-wallets/routes';
import { Faults } from './faults';
import { Mailbox, mailboxRouter } from './mailbox';
import { payerRouter } from './payer-pages/routes';
import type { Desk, Personality } from './personality';
import { processorA } from './processors/a';
import { processorB } from './processors/b';
import { processorC } from './processors/c';
import { processorD } from './processors/d';
import { processorE } from './processors/e';
import { processorF } from './processors/f';
import { processorG } from './processors/g';
import { processorH } from './processors/h';
import { Refusal } from './refusal';
import { closeBatch } from './settlement';
import { Timers } from './timers';
import { tppCallbackRouter } from './tpp-callback';

/** One line per processor. Those that have a secret are simulated. */
const PERSONALITIES: readonly Personality[] = [
  processorA,
  processorB,
  processorC,
  processorD,
  processorE,
  processorF,
  processorG,
  processorH,
];

export interface SimulatorOptions extends DeskTimes {
  /** Its books lie in `<home>/simulator/`. */
  home: string;
  /** Address of the platform's API: callbacks go to `<publicUrl>/callbacks/…`. */
  publicUrl: string;
  /** Certificate authority of that API, PEM, where the system does not know it. */
  callbackCa?: string;
  /** Callback secret by processor; one that has none is not simulated. */
  secrets: Partial<Record<ProcessorId, string>>;
  /** DEVICE_WALLET_ISSUER_KEYS; without them there are no wallets. */
  walletIssuerKeys?: string;
  /** DEVICE_WALLET_TOKEN_TTL_MS of the platform. */
  walletTokenTtlMs?: number;
  host?: string;
  /** 0: any free port. */
  port?: number;
  /** Its own address as payers' browsers reach it; default: host and port. */
  url?: string;
  /** Port on which its mailbox takes e-mails; 0: any free one; absent: no e-mails. */
  mailboxSmtpPort?: number;
  /** Between two settlement batches of a processor, in milliseconds. */
  settlementEveryMs: number;
  log?: Logger;
}

export interface Simulator {
  /** Listens, and takes up what was left to do. Answers its address. */
  start(): Promise<string>;
  /** Takes no new requests, lets running ones finish, and closes the books. */
  stop(): Promise<void>;
}

/**
 * The processors' side of the sandbox. Starting throws RangeError when there is no secret at all, and rejects when the port
 * is taken: one journal belongs to one running simulator, so the books are opened only by the one that got the port.
 */
export function createSimulator(options: SimulatorOptions): Simulator {
  const server = createServer();
  // Longer than any client keeps an idle connection: a request never meets a connection that is just being closed.
  server.keepAliveTimeout = 65_000;
  let close: (() => Promise<void>) | undefined;
  return {
    async start() {
      const origin = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
      const address = options.url ?? origin;
      close = await run(options, address, server);
      return address;
    },
    async stop() {
      await close?.();
    },
  };
}

/** Opens the books and serves. Waits for nothing before that: no request arrives before there is somebody to answer it. */
async function run(options: SimulatorOptions, address: string, server: Server): Promise<() => Promise<void>> {
  const log = options.log ?? pino({ level: 'silent' });
  const timers = new Timers();
  const faults = new Faults();
  const simulated = PERSONALITIES.filter(({ processor }) => options.secrets[processor]);
  const personalities = new Map(simulated.map((personality) => [personality.processor, personality]));
  const secretOf = (processor: ProcessorId): string => {
    const secret = options.secrets[processor];
    if (!secret) throw new RangeError(`no secret for processor ${processor}`);
    return secret;
  };
  if (simulated.length === 0) throw new RangeError('no secret of a processor that is simulated');
  const books = new Books(join(options.home, 'simulator', 'journal.jsonl'));
  const callbacks = new CallbackSender({
    books,
    faults,
    timers,
    baseUrl: options.publicUrl,
    ca: options.callbackCa,
    secretOf,
    strangersSecret: (processor) => personalities.get(processor)?.makeSecret?.() ?? randomBytes(32).toString('hex'),
    log,
    render: (notice, secret) => (personalities.get(notice.processor) as Personality).render(notice, secret),
  });

  const desks = simulated.map((personality): [Personality, Desk] => {
    const secret = secretOf(personality.processor);
    return [personality, openDesk(personality, { books, callbacks, timers, faults, secret, address, times: options })];
  });

  const app = new Koa();
  app.use(problems(personalities, log));
  for (const [personality, desk] of desks) {
    mount(app, personality.router(desk));
    mount(app, payerRouter(personality, desk));
    if (personality.payerApp) mount(app, personality.payerApp(desk));
  }
  const processors = new Map<string, Controlled>(
    desks.map(([{ processor, announceCardChange, takesTransfers, sendsTransfers }, desk]) => [
      processor,
      { ...desk, announceCardChange, takesTransfers, sendsTransfers },
    ]),
  );
  mount(app, controlRouter({ processors, books, faults, callbacks }));
  mount(app, walletsOf(options));
  const mailbox = new Mailbox(books, log);
  mount(app, mailboxRouter(mailbox));
  mount(app, testCardRouter());
  mount(app, tppCallbackRouter());
  mount(app, healthRouter());
  server.on('request', app.callback());

  const settleRegularly = (processor: ProcessorId): void =>
    timers.after(options.settlementEveryMs, () => {
      closeBatch({ books, callbacks, faults }, processor);
      settleRegularly(processor);
    });
  if (options.mailboxSmtpPort !== undefined) await mailbox.listen(options.host ?? '127.0.0.1', options.mailboxSmtpPort);
  callbacks.resume();
  for (const [{ processor }, desk] of desks) {
    resumeDesk(desk);
    settleRegularly(processor);
  }

  return async () => {
    timers.stop();
    for (const [, { calls }] of desks) calls.close();
    await mailbox.close();
    await closed(server);
    await callbacks.close();
    books.close();
  };
}

function walletsOf({ walletIssuerKeys, walletTokenTtlMs: tokenTtlMs = 300_000 }: SimulatorOptions): Router {
  return walletRouter({
    issuer: walletIssuerKeys ? new WalletIssuer(walletIssuerKeys, tokenTtlMs) : undefined,
    tokenTtlMs,
  });
}

/** Refusals in the words of the processor that was asked, everything else in those of the control endpoints. */
function problems(personalities: ReadonlyMap<string, Personality>, log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined)
        problem(ctx, 404, 'not_found', `${ctx.method} ${ctx.path} is not served here`);
      if (ctx.status === 405)
        problem(ctx, 405, 'method_not_allowed', `${ctx.method} is not allowed, see the Allow header`);
      if (ctx.status === 501) problem(ctx, 501, 'not_implemented', `${ctx.method} is not a method of this server`);
    } catch (error) {
      const personality = personalities.get(ctx.path.split('/', 2)[1] ?? '');
      if (error instanceof Refusal && personality) {
        const { status, body, contentType } = personality.refuse(error);
        ctx.status = status;
        if (contentType) ctx.set('Content-Type', contentType);
        ctx.body = body;
      } else if (error instanceof InvalidOrder) {
        problem(ctx, 400, 'invalid_request', error.message, error.details);
      } else if (Koa.HttpError && error instanceof Koa.HttpError && error.expose) {
        problem(ctx, error.status, 'refused', error.message);
      } else {
        log.error({ path: ctx.path, error: error instanceof Error ? error.stack : 'unknown' }, 'request failed');
        problem(ctx, 500, 'internal_error', 'the simulator failed');
      }
    }
  };
}

function problem(ctx: Context, status: number, code: string, message: string, details?: object[]): void {
  ctx.status = status;
  ctx.body = { error: { code, message, details } };
}

function mount(app: Koa, router: Router): void {
  app.use(router.routes());
  app.use(router.allowedMethods());
}

/** What people may try: `GET /sim/test-cards`. */
function testCardRouter(): Router {
  const router = new Router();
  router.get('/sim/test-cards', (ctx) => {
    ctx.body = { cards: testCards(), amounts: testAmounts() };
  });
  return router;
}

function healthRouter(): Router {
  const router = new Router();
  router.get('/health', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  return router;
}

/** Answers the address. Rejects when the port is taken. */
function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(`http://${host}:${(server.address() as AddressInfo).port}`);
    });
  });
}

/** Node closes the connections that are idle now; those that become idle later have to be closed as well. */
async function closed(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
}
