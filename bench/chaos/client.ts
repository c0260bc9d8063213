import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than the API takes for anything; after it the answer counts as lost. */
const ANSWER_MS = 20_000;
const PAUSE_MS = 150;

// biome-ignore lint/suspicious/noExplicitAny: what came is compared, not assumed
export type Json = any;

export interface Definite {
  status: number;
  body: Json;
  /** How often it had to be asked. */
  tries: number;
}

/**
 * A client as integrators are told to write one: a lost answer, a 5xx or "still running" is asked again under the same
 * idempotency key, until the answer is definite.
 */
export class PatientClient {
  private token = '';

  constructor(
    private readonly apiUrl: string,
    private readonly tenantId: string,
    private readonly account: { clientId: string; clientSecret: string },
    /** After this nothing is asked again. */
    private readonly patienceMs = 120_000,
  ) {}

  get(path: string): Promise<Definite> {
    return this.ask('GET', path);
  }

  post(path: string, body: object): Promise<Definite> {
    return this.ask('POST', path, body);
  }

  /** Throws when there was no definite answer in all that time. */
  private async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Definite> {
    const key = randomUUID();
    const giveUpAt = Date.now() + this.patienceMs;
    let last = 'nothing';
    for (let tries = 1; Date.now() < giveUpAt; tries += 1) {
      try {
        if (!this.token) await this.signIn();
        const reply = await fetch(this.apiUrl + path, {
          method,
          headers: {
            authorization: `Bearer ${this.token}`,
            tenantid: this.tenantId,
            ...(body && { 'content-type': 'application/json', 'idempotency-key': key }),
          },
          body: body && JSON.stringify(body),
          signal: AbortSignal.timeout(ANSWER_MS),
        });
        const answer: Definite = { status: reply.status, body: await reply.json(), tries };
        if (isDefinite(answer)) return answer;
        if (reply.status === 401) this.token = '';
        last = `${reply.status} ${answer.body.code}`;
      } catch (error) {
        last = (error as Error).message;
      }
      await sleep(PAUSE_MS);
    }
    throw new Error(`${method} ${path}: no definite answer, last ${last}`);
  }

  private async signIn(): Promise<void> {
    const { clientId, clientSecret } = this.account;
    const reply = await fetch(`${this.apiUrl}/auth/1.0.0/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (!reply.ok) throw new Error(`signing in: ${reply.status}`);
    this.token = ((await reply.json()) as Json).access_token;
  }
}

function isDefinite({ status, body }: Definite): boolean {
  return status < 500 && ![401, 429].includes(status) && body.code !== 'idempotency_in_progress';
}
