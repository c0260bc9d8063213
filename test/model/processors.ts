import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Koa from 'koa';
import { pino } from 'pino';
import type { CallbackReceiver, Connector, RawCallback } from '../../src/domain/connector';
import { createConnectorA } from '../../src/edge/processors/a';
import { createConnectorB } from '../../src/edge/processors/b';
import { createConnectorC } from '../../src/edge/processors/c';
import { apiKeyFor } from '../../src/edge/processors/credentials';
import type { ConnectorOptions } from '../../src/edge/processors/http';
import { Books } from '../../src/sandbox/simulator/books';
import { CallbackSender } from '../../src/sandbox/simulator/callbacks';
import { openDesk } from '../../src/sandbox/simulator/desk';
import { Faults } from '../../src/sandbox/simulator/faults';
import type { Notice } from '../../src/sandbox/simulator/notice';
import type { Desk, Personality } from '../../src/sandbox/simulator/personality';
import { processorA } from '../../src/sandbox/simulator/processors/a';
import { processorB } from '../../src/sandbox/simulator/processors/b';
import { processorC } from '../../src/sandbox/simulator/processors/c';
import { Timers } from '../../src/sandbox/simulator/timers';
import type { Agenda } from './agenda';

/** Cards and disputes; bank transfers; cards and a hosted page. */
export const MODELLED = ['a', 'b', 'c'] as const;
export type Modelled = (typeof MODELLED)[number];

const PERSONALITIES: Record<Modelled, Personality> = { a: processorA, b: processorB, c: processorC };
const CONNECTORS: Record<Modelled, (options: ConnectorOptions) => Connector> = {
  a: createConnectorA,
  b: createConnectorB,
  c: createConnectorC,
};
const SECRET = 'a secret of the model';
/** Nobody listens here. */
const NOBODY = 'http://127.0.0.1:1';
/** The network of the model says when somebody stops waiting, not the clock of the machine. */
const PATIENCE_MS = 60_000;
const HOUR = 3_600_000;

/** A callback that a processor has sent and that has not arrived. */
export interface Letter {
  notice: Notice;
  dueAt: number;
}

/** What the processors of one run need of it. */
export interface Surroundings {
  agenda: Agenda;
  letters: Letter[];
}

/** Connectors of one run: `live` reach the processors, `cut` find nobody there. */
export interface Lines {
  live: Record<Modelled, Connector>;
  cut: Record<Modelled, Connector>;
}

class ModelTimers extends Timers {
  constructor(private readonly run: () => Surroundings) {
    super();
  }

  override after(delayMs: number, act: () => void): void {
    this.run().agenda.enter(Date.now() + Math.max(0, delayMs), act);
  }
}

class HeldCallbacks extends CallbackSender {
  run?: () => Surroundings;

  override enqueue(notice: Notice, delayMs = 0): Promise<void> {
    this.run?.().letters.push({ notice, dueAt: Date.now() + delayMs });
    return Promise.resolve();
  }
}

/**
 * The simulator's processors over real HTTP, with its books: what they did is what the model compares ours with. Their
 * timers and callbacks belong to the run that is going on.
 */
export class Processors {
  private surroundings?: Surroundings;
  readonly desks: Record<Modelled, Desk>;
  readonly faults = new Faults();
  private readonly books: Books;
  private readonly callbacks: HeldCallbacks;
  private readonly server: Server;

  private constructor(home: string, server: Server) {
    this.server = server;
    this.books = new Books(join(home, 'model', 'journal.jsonl'));
    const run = () => {
      if (!this.surroundings) throw new Error('no run is going on');
      return this.surroundings;
    };
    const timers = new ModelTimers(run);
    this.callbacks = new HeldCallbacks({
      books: this.books,
      faults: this.faults,
      timers,
      baseUrl: NOBODY,
      secretOf: () => SECRET,
      strangersSecret: () => SECRET,
      log: pino({ level: 'silent' }),
      render: (notice, secret) => PERSONALITIES[notice.processor as Modelled].render(notice, secret),
    });
    this.callbacks.run = run;
    const times = {
      chargebackAfterMs: 5_000,
      refundDeclineMs: 5_000,
      // A payer's page stays open longer than the platform waits.
      challengeTtlMs: 2 * HOUR,
      disputeDecisionAfterMs: 60_000,
    };
    const desk = (processor: Modelled) =>
      openDesk(PERSONALITIES[processor], {
        books: this.books,
        callbacks: this.callbacks,
        timers,
        faults: this.faults,
        secret: SECRET,
        address: 'https://pay.example',
        times,
      });
    this.desks = { a: desk('a'), b: desk('b'), c: desk('c') };
    const app = new Koa();
    for (const processor of MODELLED) app.use(PERSONALITIES[processor].router(this.desks[processor]).routes());
    server.on('request', app.callback());
  }

  /** `home`: a folder for the journal. */
  static async open(home: string): Promise<Processors> {
    const server = createServer();
    server.keepAliveTimeout = 65_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Processors(home, server);
  }

  /** Gives the processors to a run, and fresh lines to them. */
  begin(surroundings: Surroundings): Lines {
    this.surroundings = surroundings;
    for (const processor of MODELLED) this.faults.clear(processor);
    const { port } = this.server.address() as AddressInfo;
    const all = (origin: string): Lines['live'] => {
      const connector = (processor: Modelled) =>
        CONNECTORS[processor]({
          baseUrl: `${origin}/${processor}`,
          apiKey: apiKeyFor(SECRET),
          timeoutMs: PATIENCE_MS,
        });
      return { a: connector('a'), b: connector('b'), c: connector('c') };
    };
    return { live: all(`http://127.0.0.1:${port}`), cut: all(NOBODY) };
  }

  /** A callback as it arrives, with the receiver that it arrives at. It is signed as the processor signs. */
  arriving({ notice }: Letter, { live }: Lines): { receiver: CallbackReceiver; raw: RawCallback; key: string } {
    const processor = notice.processor as Modelled;
    const { method, receiver: name, query = '', headers, body = '' } = PERSONALITIES[processor].render(notice, SECRET);
    const receiver = live[processor].receivers.find((one) => one.name === name);
    if (!receiver) throw new Error(`no receiver ${name}`);
    const lowered = Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]));
    const raw = {
      method: method as RawCallback['method'],
      path: `/callbacks/${name}`,
      query,
      headers: lowered,
      body: Buffer.from(body),
    };
    return { receiver, raw, key: SECRET };
  }

  async close(): Promise<void> {
    await this.callbacks.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    this.books.close();
  }
}
