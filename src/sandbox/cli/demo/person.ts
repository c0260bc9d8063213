import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../merchant';

export interface Reply<T> {
  status: number;
  body: T;
}

/** Somebody who acts as themselves, with a token of their own or with none yet. */
export class Person {
  constructor(
    private readonly apiUrl: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The answer, whatever its status. A body that is a Buffer is sent as a PDF. */
  async request<T>(method: string, path: string, body?: object): Promise<Reply<T>> {
    const isFile = Buffer.isBuffer(body);
    const response = await fetch(this.apiUrl + path, {
      method,
      headers: {
        ...this.headers,
        ...(body && { 'content-type': isFile ? 'application/pdf' : 'application/json' }),
      },
      body: isFile ? new Uint8Array(body) : body && JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : undefined) as T };
  }

  /** Throws `Refused` with the API's message. */
  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const reply = await this.request<T & { message?: string }>(method, path, body);
    if (reply.status >= 400)
      throw new Refused(reply.status, `${method} ${path}: ${reply.status} ${reply.body?.message}`);
    return reply.body;
  }

  /** The same with an access token. */
  signedIn(token: string): Person {
    return this.with({ authorization: `Bearer ${token}` });
  }

  /** The same with these headers. */
  with(headers: Record<string, string>): Person {
    return new Person(this.apiUrl, { ...this.headers, ...headers });
  }
}

/** What a person reads in `/sandbox/mailbox`: the text of the `nth` message to an address, once it is there. */
export async function letterTo(apiUrl: string, to: string, nth: number): Promise<string> {
  const path = `/sandbox/mailbox?to=${encodeURIComponent(to)}`;
  for (let tries = 0; tries < 120; tries += 1) {
    const { data } = await new Person(apiUrl).send<{ data: { text: string }[] }>('GET', path);
    if (data.length >= nth) return data[data.length - nth]!.text;
    await sleep(250);
  }
  throw new Error(`message ${nth} to ${to} did not arrive in 30 s`);
}

/** The six digits in a message. */
export function codeIn(text: string): string {
  const [code] = /\b\d{6}\b/.exec(text) ?? [];
  if (!code) throw new Error('there is no code in the message');
  return code;
}

/** A document to upload: begins as a PDF does, and is good for nothing else. */
export const DEMO_PDF = Buffer.from('%PDF-1.7\n% shown in the demo\n%%EOF\n');
