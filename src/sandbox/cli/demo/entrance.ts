import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { Refused } from '../merchant';

export interface EntranceReply {
  status: number;
  /** Where a redirect leads. */
  location: string;
  text: string;
}

export interface EntranceRequest {
  headers?: Record<string, string>;
  form?: URLSearchParams;
  /** Bytes of a JSON document, as they were signed. */
  json?: Buffer;
}

/** Calls the entrance of third-party providers: with a certificate as a provider, without one as a customer's browser. */
export class Entrance {
  private readonly agent: Agent;
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly authUrl: string,
    { caPath, certPath, keyPath }: { caPath: string; certPath?: string; keyPath?: string },
  ) {
    const read = (path: string | undefined) => (path ? readFileSync(path) : undefined);
    this.agent = new Agent({ connect: { ca: read(caPath), cert: read(certPath), key: read(keyPath) } });
  }

  /** A GET, or a POST of what there is to send. Keeps cookies, and follows no redirect. */
  async send(path: string, { headers = {}, form, json }: EntranceRequest = {}): Promise<EntranceReply> {
    const body = form ? form.toString() : json;
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await request(new URL(path, this.authUrl), {
      dispatcher: this.agent,
      method: body ? 'POST' : 'GET',
      headers: {
        ...(body && { 'content-type': type }),
        ...(cookie && { cookie }),
        ...headers,
      },
      body,
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name) this.cookies.set(name, value ?? '');
    }
    const { location = '' } = answer.headers;
    return { status: answer.statusCode, location: `${location}`, text: await answer.body.text() };
  }

  /** The JSON of an answer. Throws `Refused` with what the entrance says. */
  async call<T>(path: string, what: EntranceRequest = {}): Promise<T> {
    const { status, text } = await this.send(path, what);
    if (status >= 400) throw new Refused(status, `${path}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  close(): Promise<void> {
    return this.agent.close();
  }
}

/** What a browser sends of a page: its hidden fields, and the first account of its choice. */
export function fieldsOf({ text }: EntranceReply): URLSearchParams {
  const fields = new URLSearchParams({ decision: 'confirm' });
  for (const [, name, value] of text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g))
    fields.append(name!, value!);
  const [, account] = /name="account" value="(\d+)"/.exec(text) ?? [];
  if (account && !fields.has('account')) fields.append('account', account);
  return fields;
}
