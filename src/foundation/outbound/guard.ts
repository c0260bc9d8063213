import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** Refused because of its address. The message says why, and does not tell what is at that address. */
export class ForbiddenTarget extends Error {
  override readonly name = 'ForbiddenTarget';
}

type Resolver = (
  hostname: string,
  options: { all: true; family?: number; hints?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface OutboundOptions {
  /** The sandbox allows plain HTTP and addresses of its own machine and network. */
  sandbox: boolean;
  /** Resolves a name to all of its addresses; absent: the system's resolver. */
  resolve?: Resolver;
}

/** Global unicast (RFC 4291 section 2.4): outside of it nothing of IPv6 is on the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public addresses that lead inside all the same: the metadata service of one large cloud. */
const INSIDE = new Set(['168.63.129.16']);

/**
 * Where requests to addresses that a merchant chose may go. A URL is judged by what it says, and again when a connection
 * is made, by the very addresses that the connection will use: a name that answers differently then gains nothing.
 */
export class OutboundGuard {
  private readonly sandbox: boolean;
  private readonly resolve: Resolver;

  constructor({ sandbox, resolve = systemLookup }: OutboundOptions) {
    this.sandbox = sandbox;
    this.resolve = resolve;
  }

  /** Why requests to this URL can never work; undefined where they may. Never repeats the URL. */
  refusal(text: string): string | undefined {
    let url: URL;
    try {
      url = new URL(text);
    } catch {
      return 'is not a URL';
    }
    if (url.protocol !== 'https:' && !(this.sandbox && url.protocol === 'http:'))
      return this.sandbox ? 'must be an http or https URL' : 'must be an https URL';
    if (url.username || url.password) return 'must not contain a user name or password';
    if (url.port === '0') return 'must not name port 0';
    // The URL standard has by now turned every spelling of an IPv4 address into four decimal numbers.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !this.allows(host)) return 'must not lead to a private address';
    return undefined;
  }

  /** Whether a connection to this address may be made. */
  allows(address: string): boolean {
    return this.sandbox || isPublic(address);
  }

  /** Makes the connections of an undici dispatcher; one that is not allowed fails with ForbiddenTarget. */
  connector(options: buildConnector.BuildOptions = {}): buildConnector.connector {
    const connect = buildConnector({ ...options, lookup: this.lookup } as buildConnector.BuildOptions);
    return (target, done) => {
      // An address is connected to without asking the resolver.
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) && !this.allows(host)) done(privateAddress(), null);
      else connect(target, done);
    };
  }

  /** Node's `lookup` of a connection, with every address of the name checked before any of them is used. */
  private readonly lookup = (
    hostname: string,
    options: { all?: boolean; family?: number; hints?: number },
    done: (error: Error | null, address?: string | LookupAddress[], family?: number) => void,
  ): void => {
    this.resolve(hostname, { family: options.family, hints: options.hints, all: true }, (error, addresses) => {
      if (error) return done(error);
      if (addresses.length === 0) return done(new Error('the name has no address'));
      if (!addresses.every(({ address }) => this.allows(address))) return done(privateAddress());
      if (options.all) return done(null, addresses);
      done(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

function privateAddress(): ForbiddenTarget {
  return new ForbiddenTarget('the target has a private address');
}

/** Neither ours, nor of a private network, nor an IPv4 address in the disguise of a translation or a tunnel. */
function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || INSIDE.has(address.toString())) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST);
}
