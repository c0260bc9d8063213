import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decodeProtectedHeader, flattenedVerify } from 'jose';
import { CRITICAL } from '../../../src/open-banking/signatures/header';
import { signDetached } from '../../../src/open-banking/signatures/sign';
import type { Credentials } from '../../setup/stack';
import type { Json } from '../client';
import { type EntranceCaller, type EntranceReply, seededTpp } from './tpp';

const BASE = '/open-banking/2.0.0';
export const PAYMENT_CONSENTS = `${BASE}/domestic-payment-consents`;
export const DOMESTIC_PAYMENTS = `${BASE}/domestic-payments`;

/** The body of a request for a consent to pay. */
export const paymentTo = (iban: string, amount = '10.00') => ({
  Data: {
    Initiation: {
      InstructionIdentification: 'INSTR-1',
      EndToEndIdentification: 'E2E-1',
      InstructedAmount: { Amount: amount, Currency: 'EUR' },
      CreditorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: iban, Name: 'Corner Shop' },
    },
  },
  Risk: {},
});

export const codesOf = ({ body }: EntranceReply) => body.Errors.map(({ ErrorCode }: Json) => ErrorCode);

/** A provider that has payments made: its certificate, its signing key and a token. */
export class Initiator {
  private readonly key: KeyObject;

  private constructor(
    private readonly caller: EntranceCaller,
    private readonly files: Json,
    private readonly token: string,
  ) {
    this.key = createPrivateKey({ key: JSON.parse(readFileSync(files.jwksKeyPath, 'utf8')), format: 'jwk' });
  }

  /** With a token of the provider's own. */
  static async open(credentials: Credentials): Promise<Initiator> {
    const caller = seededTpp(credentials);
    const { status, body } = await caller.token({ grant_type: 'client_credentials', scope: 'payments' });
    if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
    return new Initiator(caller, credentials.tpp, body.access_token);
  }

  /** The same provider with another token, such as that of a consent. */
  withToken(token: string): Initiator {
    return new Initiator(this.caller, this.files, token);
  }

  close(): void {
    this.caller.close();
  }

  get(path: string): Promise<EntranceReply> {
    return this.caller.send(path, { headers: { authorization: `Bearer ${this.token}` } });
  }

  async post(path: string, body: object, more: Record<string, string> = {}): Promise<EntranceReply> {
    const headers = { ...(await this.headers(body)), ...more };
    return this.caller.send(path, { method: 'POST', headers, json: body });
  }

  /** Sends another body than the one that is signed. */
  async postAltered(path: string, body: object, sent: object): Promise<EntranceReply> {
    return this.caller.send(path, { method: 'POST', headers: await this.headers(body), json: sent });
  }

  /** Asks for a consent to pay. Answers its id and what was asked for. */
  async consent(body: ReturnType<typeof paymentTo>): Promise<{ consentId: string; order: Json }> {
    const asked = await this.post(PAYMENT_CONSENTS, body);
    if (asked.status !== 201) throw new Error(`no consent: ${asked.status} ${asked.text}`);
    const consentId = asked.body.Data.ConsentId;
    return { consentId, order: { Data: { ConsentId: consentId, Initiation: body.Data.Initiation }, Risk: body.Risk } };
  }

  /** Checks the signature of an answer with the keys that the bank publishes. Throws for one that is not good. */
  async verify({ text, headers }: EntranceReply): Promise<void> {
    const [head, signature] = `${headers['x-jws-signature']}`.split('..') as [string, string];
    const { keys } = (await this.get(`${BASE}/.well-known/jwks.json`)).body;
    const { kid } = decodeProtectedHeader({ protected: head });
    const crit = Object.fromEntries(CRITICAL.map((claim) => [claim, true]));
    const payload = Buffer.from(text).toString('base64url');
    await flattenedVerify(
      { protected: head, payload, signature },
      keys.find((key: Json) => key.kid === kid),
      { algorithms: ['PS256'], crit },
    );
  }

  private async headers(body: object): Promise<Record<string, string>> {
    const { kid, iss, tan } = this.files;
    return {
      authorization: `Bearer ${this.token}`,
      'x-idempotency-key': randomUUID(),
      'x-jws-signature': await signDetached(Buffer.from(JSON.stringify(body)), { key: this.key, kid, iss, tan }),
    };
  }
}
