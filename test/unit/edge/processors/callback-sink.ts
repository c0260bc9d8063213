import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RawCallback } from '../../../../src/domain/connector';

/** Stands where the platform's callback receivers would: keeps what arrives, and answers as it is told. */
export class CallbackSink {
  readonly received: RawCallback[] = [];
  /** What it answers; 200 means delivered. */
  status = 200;
  url = '';
  private readonly server: Server;
  private waiting: (() => void)[] = [];

  constructor() {
    this.server = createServer((request, response) => {
      readRaw(request).then((raw) => {
        response.statusCode = this.status;
        response.end();
        this.received.push(raw);
        for (const wake of this.waiting.splice(0)) wake();
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The callbacks of one receiver that mention `text`, as soon as there are `count` of them; jest bounds the wait. */
  async expect(receiver: string, text: string, count = 1): Promise<RawCallback[]> {
    for (;;) {
      const found = this.about(receiver, text);
      if (found.length >= count) return found;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  about(receiver: string, text: string): RawCallback[] {
    return this.received.filter((raw) => raw.path === `/callbacks/${receiver}` && contentOf(raw).includes(text));
  }
}

/** What a callback says, the challenge response inside a form included. */
function contentOf(raw: RawCallback): string {
  const cres = new URLSearchParams(raw.body.toString('utf8')).get('cres');
  return `${raw.query} ${raw.body.toString('utf8')} ${cres ? Buffer.from(cres, 'base64url').toString('utf8') : ''}`;
}

async function readRaw(request: IncomingMessage): Promise<RawCallback> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  return {
    method: request.method as 'GET' | 'POST',
    path,
    query,
    headers: request.headers as Record<string, string | undefined>,
    body: Buffer.concat(chunks),
  };
}
