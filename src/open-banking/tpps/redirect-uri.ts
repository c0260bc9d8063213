import { refuse } from '../../domain/errors';
import type { TppProfile } from './tpp';

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * The addresses that customers are sent back to. A request must name one of them letter by letter (RFC 9700, section 2.1).
 * `sandbox`: http is good too, on the provider's own machine. Not for FAPI 1.0 Advanced: an id token goes there through the
 * browser, so OpenID Connect (Registration, section 2) asks for https, and not for `localhost`. Throws `invalid_request`.
 */
export function requireRedirectUris(uris: readonly string[], sandbox: boolean, profile: TppProfile): void {
  uris.forEach((uri, index) => {
    const field = `redirectUris[${index}]`;
    const { protocol, hostname, username, password } = new URL(uri);
    if (uri.includes('#')) refuse(field, 'must not have a fragment');
    if (username || password) refuse(field, 'must not contain a user name or password');
    if (profile === 'fapi1_advanced') {
      if (protocol !== 'https:' || hostname === 'localhost') refuse(field, 'must use https, and not localhost');
      return;
    }
    if (protocol === 'https:' || (sandbox && protocol === 'http:' && LOOPBACK.includes(hostname))) return;
    refuse(field, sandbox ? 'must use https, or http on the loopback' : 'must use https');
  });
}
