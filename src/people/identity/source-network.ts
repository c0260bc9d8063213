import { isIPv6 } from 'node:net';

const NETWORK_GROUPS = 4;

/**
 * What counts as one source in limits: an IPv4 address, or the network of an IPv6 address. Whoever has one IPv6 address has
 * 2^64 of them (RFC 4291, section 2.5.4), so a limit by address would be none.
 */
export function networkOf(source: string): string {
  if (!isIPv6(source)) return source;
  const [head = '', tail] = source.split('%')[0]!.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const between = tail === undefined ? [] : Array(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = [...before, ...between, ...after].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
