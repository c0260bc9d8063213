import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request as callTls } from 'node:https';
import type { Credentials } from '../../setup/stack';
import type { Json } from '../client';

export interface EntranceReply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: Json;
}

export interface EntranceRequest {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string> | URLSearchParams;
  json?: Json;
}

/** The certificate that a caller shows; none for a browser. */
export interface Shown {
  cert: string | Buffer;
  key: string | Buffer;
}

/** Calls the entrance of third-party providers over TLS, as whoever shows this certificate. */
export class EntranceCaller {
  private readonly agent: Agent;
  /** Who has issued the certificate of the entrance. */
  readonly ca: Buffer;

  constructor(
    readonly authUrl: string,
    caPath: string,
    shown?: Shown,
  ) {
    this.ca = readFileSync(caPath);
    this.agent = new Agent({ ca: this.ca, keepAlive: true, ...shown });
  }

  send(path: string, { method = 'GET', headers = {}, form, json }: EntranceRequest = {}): Promise<EntranceReply> {
    const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    return new Promise((resolve, reject) => {
      const call = callTls(
        new URL(path, this.authUrl),
        {
          agent: this.agent,
          method,
          headers: {
            ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
        },
        async (response) => {
          let text = '';
          for await (const chunk of response.setEncoding('utf8')) text += chunk;
          const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== '';
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text,
            body: isJson ? JSON.parse(text) : undefined,
          });
        },
      );
      call.on('error', reject);
      call.end(body);
    });
  }

  token(form: Record<string, string>): Promise<EntranceReply> {
    return this.send('/token', { method: 'POST', form });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** The seeded provider of a tenant. */
export function seededTpp({ authUrl, tpp }: Credentials): EntranceCaller {
  return new EntranceCaller(authUrl, tpp.caPath, {
    cert: readFileSync(tpp.certPath),
    key: readFileSync(tpp.keyPath),
  });
}

/** Somebody without a certificate, such as a customer's browser. */
export function withoutCertificate({ authUrl, tpp }: Credentials): EntranceCaller {
  return new EntranceCaller(authUrl, tpp.caPath);
}
