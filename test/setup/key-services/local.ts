import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: object | string;
}

/** What a service answers when it refuses, with the name that it gives the reason. */
export class Refused extends Error {
  constructor(readonly reason: 'denied' | 'no such key' | 'disabled' | 'not wrapped by this key for this context') {
    super(reason);
  }
}

/**
 * A key management service on loopback that does what the real one does: keys with versions that never leave it, AES-256-GCM
 * with the context as associated data, and its own protocol before it.
 */
export abstract class LocalKeyService {
  /** Versions of each key, by its name. The last one wraps. */
  private readonly keys = new Map<string, Buffer[]>();
  private readonly disabled = new Set<string>();
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  /** Calls that wrap or unwrap. */
  calls = 0;
  /** Statuses that the next calls are answered with, instead of what they ask for. */
  readonly failures: number[] = [];
  /** Whether calls are heard and never answered. */
  isSilent = false;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    this.server = createServer(async (request, response) => {
      const body = await text(request);
      if (this.isCall(request)) {
        this.calls += 1;
        if (this.isSilent) return;
        const failure = this.failures.shift();
        if (failure) return void response.writeHead(failure).end(JSON.stringify(this.failureOf(failure)));
      }
      const { status, headers, body: answer } = this.answerTo(request, body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    const { server } = this;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    return this;
  }

  /** Nobody listens any more; `start` opens the same port again. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Makes a key, or its next version. */
  addVersion(name: string): void {
    this.keys.set(name, [...(this.keys.get(name) ?? []), randomBytes(32)]);
  }

  setEnabled(name: string, isEnabled: boolean): void {
    if (isEnabled) this.disabled.delete(name);
    else this.disabled.add(name);
  }

  /** The version is told with the bytes, as by each of the services. */
  protected encrypt(name: string, plaintext: Buffer, context: Buffer): { version: number; bytes: Buffer } {
    const versions = this.usable(name);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', versions.at(-1)!, nonce).setAAD(context);
    const bytes = Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    return { version: versions.length, bytes };
  }

  protected decrypt(name: string, version: number, bytes: Buffer, context: Buffer): Buffer {
    const key = this.usable(name)[version - 1];
    try {
      const decipher = createDecipheriv('aes-256-gcm', key!, bytes.subarray(0, 12)).setAAD(context);
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    } catch {
      throw new Refused('not wrapped by this key for this context');
    }
  }

  private usable(name: string): Buffer[] {
    const versions = this.keys.get(name);
    if (!versions) throw new Refused('no such key');
    if (this.disabled.has(name)) throw new Refused('disabled');
    return versions;
  }

  protected abstract isCall(request: IncomingMessage): boolean;
  protected abstract answerTo(request: IncomingMessage, body: string): Answer;
  protected abstract failureOf(status: number): object;
}
