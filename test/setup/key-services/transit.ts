import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, LocalKeyService, Refused } from './local';

export const APP_ROLE = { roleId: 'role of a test', secretId: 'secret of a test' };

/** HashiCorp Vault: its Transit engine, tokens, and AppRole. */
export class LocalTransit extends LocalKeyService {
  private readonly tokens = new Set<string>();
  signIns = 0;
  namespaces: unknown[] = [];

  newToken(): string {
    const token = `hvs.${randomBytes(12).toString('hex')}`;
    this.tokens.add(token);
    return token;
  }

  revokeTokens(): void {
    this.tokens.clear();
  }

  protected isCall({ url }: IncomingMessage): boolean {
    return url!.startsWith('/v1/transit/');
  }

  protected failureOf(status: number): object {
    return { errors: [status === 503 ? 'Vault is sealed' : 'later'] };
  }

  protected answerTo(request: IncomingMessage, body: string): Answer {
    const asked = JSON.parse(body) as Record<string, string>;
    this.namespaces.push(request.headers['x-vault-namespace']);
    try {
      if (request.url === '/v1/auth/approle/login') return this.signIn(asked);
      if (!this.tokens.has(String(request.headers['x-vault-token']))) throw new Refused('denied');
      const [, act, name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/([\w-]+)$/.exec(request.url!) ?? [];
      const context = Buffer.from(asked.associated_data ?? '', 'base64');
      if (act === 'encrypt') {
        const { version, bytes } = this.encrypt(name, Buffer.from(asked.plaintext!, 'base64'), context);
        const ciphertext = `vault:v${version}:${bytes.toString('base64')}`;
        return { status: 200, body: { data: { ciphertext, key_version: version } } };
      }
      const [, version, bytes] = asked.ciphertext!.split(':');
      const plain = this.decrypt(name, Number(version!.slice(1)), Buffer.from(bytes!, 'base64'), context);
      return { status: 200, body: { data: { plaintext: plain.toString('base64') } } };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { status: error.reason === 'denied' ? 403 : 400, body: { errors: [error.message] } };
    }
  }

  private signIn(asked: Record<string, string>): Answer {
    if (asked.role_id !== APP_ROLE.roleId || asked.secret_id !== APP_ROLE.secretId)
      return { status: 400, body: { errors: ['invalid role or secret ID'] } };
    this.signIns += 1;
    return { status: 200, body: { auth: { client_token: this.newToken(), lease_duration: 3_600, renewable: true } } };
  }
}
