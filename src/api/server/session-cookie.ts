import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import { DomainError } from '../../domain/errors';

/** The header that no page of another site can send without asking us first (CORS), and we allow nobody. */
const CONSOLE_HEADER = 'tillway-console';
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const READING = ['GET', 'HEAD'];

/**
 * The cookie of users who have signed in. No script reads it, and the browser sends it to nobody else. Off the loopback it
 * goes over TLS only, and the prefix keeps neighbouring hosts from setting it (RFC 6265bis, section 4.1.3).
 */
export class SessionCookie {
  private readonly own: URL;
  private readonly name: string;
  private readonly attributes: string;

  /** `publicUrl`: how the API is reached from outside. */
  constructor(publicUrl: string) {
    this.own = new URL(publicUrl);
    const isSecure = this.own.protocol === 'https:' || !LOOPBACK.includes(this.own.hostname);
    this.name = isSecure ? '__Host-tillway_session' : 'tillway_session';
    this.attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** What the cookie of a request holds. */
  read(ctx: Context): string | undefined {
    return ctx.cookies.get(this.name);
  }

  /** The value of `Set-Cookie`. Until the browser is closed; the session itself ends sooner. */
  holding(token: string): string {
    return `${this.name}=${token}; ${this.attributes}`;
  }

  /** The value of `Set-Cookie` that removes it. */
  gone(): string {
    return `${this.name}=; Max-Age=0; ${this.attributes}`;
  }

  /**
   * For requests whose cookie counts, beside SameSite: what changes something must say that it comes from our own pages, and
   * nothing may come from another site. Throws `cross_site_request`.
   */
  requireOwnPage(method: string, headers: IncomingHttpHeaders): void {
    if (READING.includes(method)) {
      if (headers['sec-fetch-site'] === 'cross-site') throw crossSite();
      return;
    }
    if (headers['x-requested-with'] !== CONSOLE_HEADER) throw crossSite();
    this.requireOwnOrigin(headers);
  }

  /** For requests that make a cookie: a form of another site must not sign anybody in. Throws `cross_site_request`. */
  requireOwnOrigin(headers: IncomingHttpHeaders): void {
    const { origin, 'sec-fetch-site': site } = headers;
    if (site !== undefined && site !== 'same-origin') throw crossSite();
    if (origin !== undefined && !this.isOwn(origin, headers.host)) throw crossSite();
  }

  /** The public URL, or the host to which the request went. */
  private isOwn(origin: string, host: string | undefined): boolean {
    const asked = parsed(origin);
    if (!asked || asked.protocol !== this.own.protocol) return false;
    const addressed = host === undefined ? undefined : parsed(`${this.own.protocol}//${host}`);
    return [this.own, addressed].some((own) => own !== undefined && placeOf(own) === placeOf(asked));
  }
}

/** Host and port; all names of the loopback are one. */
function placeOf({ hostname, port }: URL): string {
  return `${LOOPBACK.includes(hostname) ? 'localhost' : hostname}:${port}`;
}

function parsed(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

function crossSite(): DomainError {
  return new DomainError(
    'cross_site_request',
    `A request with a cookie must come from our own pages, with the header X-Requested-With: ${CONSOLE_HEADER}`,
  );
}
