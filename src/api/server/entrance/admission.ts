import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TppRegistry } from '../../../open-banking/tpps/registry';
import type { AnonymousLimit, RateLimit } from '../middleware/rate-limit';
import { shownCertificate } from './peer';

/**
 * Counts requests to the authorization server, which come without a token: by provider where the connection's certificate names
 * one, as its calls with a token are counted; all others by source.
 */
export class Admission {
  /** Whom the certificate of a connection names: looked up once, so that a flood asks the database nothing. */
  private readonly named = new WeakMap<Socket, string | null>();

  constructor(
    private readonly registry: Pick<TppRegistry, 'byCertificate'>,
    private readonly clients: RateLimit,
    private readonly anonymous: AnonymousLimit,
  ) {}

  /** Throws `rate_limited` with the seconds to wait. `source`: the address that the request came from. */
  async admit(request: IncomingMessage, source: string): Promise<void> {
    const tppId = await this.clientOf(request);
    if (tppId) this.clients.take(tppId);
    else this.anonymous.take(request.method ?? 'GET', source);
  }

  private async clientOf(request: IncomingMessage): Promise<string | null> {
    const { socket } = request;
    const known = this.named.get(socket);
    const shown = known === undefined && shownCertificate(request);
    if (!shown) return known ?? null;
    const tpp = await this.registry.byCertificate(shown).catch(() => 'away' as const);
    // With the database away nobody is known, and the connection is asked about again.
    if (tpp === 'away') return null;
    this.named.set(socket, tpp?.id ?? null);
    return tpp?.id ?? null;
  }
}
