import { refuse } from '../../domain/errors';

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * The addresses that customers are sent back to. A request must name one of them letter by letter (RFC 9700, section 2.1).
 * `sandbox`: http is good too, on the provider's own machine. Throws `invalid_request`.
 */
export function requireRedirectUris(uris: readonly string[], sandbox: boolean): void {
  uris.forEach((uri, index) => {
    const field = `redirectUris[${index}]`;
    const { protocol, hostname } = new URL(uri);
    if (uri.includes('#')) refuse(field, 'must not have a fragment');
    if (protocol === 'https:' || (sandbox && protocol === 'http:' && LOOPBACK.includes(hostname))) return;
    refuse(field, sandbox ? 'must use https, or http on the loopback' : 'must use https');
  });
}
