import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, LocalKeyService, Refused } from './local';

const STATUS: Record<Refused['reason'], [number, string]> = {
  denied: [401, 'UNAUTHENTICATED'],
  'no such key': [404, 'NOT_FOUND'],
  disabled: [400, 'FAILED_PRECONDITION'],
  'not wrapped by this key for this context': [400, 'INVALID_ARGUMENT'],
};

export const SUBJECT_TOKEN = 'token of a workload';

/** Google Cloud KMS over REST, and the token service of workload identity federation. */
export class LocalGcp extends LocalKeyService {
  private token = randomBytes(16).toString('hex');

  static key(name: string): string {
    return `projects/p/locations/europe/keyRings/r/cryptoKeys/${name}`;
  }

  /** What GOOGLE_APPLICATION_CREDENTIALS names. `tokenFile` holds SUBJECT_TOKEN. */
  credentials(tokenFile: string): object {
    return {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${this.url}/token`,
      credential_source: { file: tokenFile },
    };
  }

  /** Tokens that were given out count no more. */
  revokeTokens(): void {
    this.token = randomBytes(16).toString('hex');
  }

  protected isCall({ url }: IncomingMessage): boolean {
    return url!.startsWith('/v1/');
  }

  protected failureOf(status: number): object {
    return { error: { code: status, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE' } };
  }

  protected answerTo(request: IncomingMessage, body: string): Answer {
    if (!this.isCall(request)) return this.exchange(body);
    try {
      if (request.headers.authorization !== `Bearer ${this.token}`) throw new Refused('denied');
      const [, key = '', act] = /^\/v1\/(.+):(encrypt|decrypt)$/.exec(request.url!) ?? [];
      const { plaintext, ciphertext, additionalAuthenticatedData } = JSON.parse(body) as Record<string, string>;
      const context = Buffer.from(additionalAuthenticatedData ?? '', 'base64');
      if (act === 'encrypt') {
        const { version, bytes } = this.encrypt(key, Buffer.from(plaintext!, 'base64'), context);
        const wrapped = Buffer.concat([Buffer.from([version]), bytes]);
        const name = `${key}/cryptoKeyVersions/${version}`;
        return { status: 200, body: { name, ciphertext: wrapped.toString('base64') } };
      }
      const wrapped = Buffer.from(ciphertext!, 'base64');
      const plain = this.decrypt(key, wrapped[0]!, wrapped.subarray(1), context);
      return { status: 200, body: { plaintext: plain.toString('base64') } };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const [code, status] = STATUS[error.reason];
      return { status: code, body: { error: { code, status, message: error.message } } };
    }
  }

  /** RFC 8693: a token of the workload for an access token. */
  private exchange(body: string): Answer {
    const asked = new URLSearchParams(body);
    if (asked.get('subject_token') !== SUBJECT_TOKEN) return { status: 401, body: { error: 'invalid_grant' } };
    const type = 'urn:ietf:params:oauth:token-type:access_token';
    const answer = { access_token: this.token, expires_in: 3_600, token_type: 'Bearer', issued_token_type: type };
    return { status: 200, body: answer };
  }
}
