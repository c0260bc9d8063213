import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Makes the function that finds the source address of a request. `trustedProxies`: addresses or CIDR ranges. We believe
 * the X-Forwarded-For of these proxies only, hop by hop from the right. Throws RangeError on a malformed entry.
 */
export function sourceAddressOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return (request) => plain(request.socket.remoteAddress);
  const isTrusted = trustedIn(trustedProxies);
  return (request) => {
    let address = plain(request.socket.remoteAddress);
    const header = request.headers['x-forwarded-for'];
    const hops = header === undefined ? [] : String(header).split(',');
    while (isTrusted(address) && hops.length > 0) {
      const hop = plain(hops.pop()!.trim());
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  };
}

/** Whether an address is one of these proxies. Throws RangeError on a malformed entry. */
export function trustedIn(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of trustedProxies) trust(trusted, entry.trim());
  return (address) => isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function trust(list: BlockList, entry: string): void {
  const [address = '', prefix] = entry.split('/');
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  if (family === 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)))
    throw new RangeError('TRUSTED_PROXIES takes addresses and CIDR ranges, separated by commas');
  list.addSubnet(address, prefix === undefined ? bits : Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
}

/** Turns an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) into IPv4. */
export function plain(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
}
