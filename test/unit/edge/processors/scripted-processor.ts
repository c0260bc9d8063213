import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A processor that answers every request with what the test says: for answers no simulator would give. */
export class ScriptedProcessor {
  answer: { status: number; body: string } = { status: 200, body: '{}' };
  url = '';
  private readonly server: Server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(this.answer.status, { 'content-type': 'application/json' });
      response.end(this.answer.body);
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
