import type { Context } from 'koa';

export interface CookieForm {
  name: string;
  sameSite: 'Lax' | 'Strict';
}

/**
 * The cookie of customers who have signed in. No script reads it, and no other site's form brings it along; over TLS the
 * prefix keeps neighbouring hosts from setting it (RFC 6265bis, section 4.1.3).
 */
export class SignInCookie {
  private readonly name: string;
  private readonly attributes: string;

  /** `publicUrl`: base address of the pages. `sameSite`: `Strict` where no link of another site needs to find it. */
  constructor(publicUrl: string, { name, sameSite }: CookieForm = { name: 'tillway_customer', sameSite: 'Lax' }) {
    const isSecure = new URL(publicUrl).protocol === 'https:';
    this.name = isSecure ? `__Host-${name}` : name;
    this.attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
  }

  read(ctx: Context): string | undefined {
    return ctx.cookies.get(this.name);
  }

  /** Until the browser is closed; the session itself ends sooner. */
  write(ctx: Context, token: string): void {
    ctx.append('Set-Cookie', `${this.name}=${token}; ${this.attributes}`);
  }

  clear(ctx: Context): void {
    ctx.append('Set-Cookie', `${this.name}=; Max-Age=0; ${this.attributes}`);
  }
}
