import type { IncomingHttpHeaders } from 'node:http';
import { KNOWN_MS, type KnownDevices } from '../../people/identity/known-devices';

/**
 * The cookie of a browser on which somebody has signed in before. It signs nobody in: it spares its holder the locks that
 * strangers bring about. No script reads it, and no other site brings it along.
 */
export class KnownDeviceCookie {
  private readonly name: string;
  private readonly attributes: string;

  /** `publicUrl`: base address of the pages. */
  constructor(
    publicUrl: string,
    private readonly devices: KnownDevices,
  ) {
    const isSecure = new URL(publicUrl).protocol === 'https:';
    this.name = isSecure ? '__Host-tillway_known' : 'tillway_known';
    this.attributes = `Path=/; Max-Age=${KNOWN_MS / 1000}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  read({ cookie = '' }: IncomingHttpHeaders): string | undefined {
    const pair = cookie.split(';').find((one) => one.trim().startsWith(`${this.name}=`));
    return pair?.trim().slice(this.name.length + 1);
  }

  /** The value of `Set-Cookie` for a browser on which `ownerId` has just signed in. */
  holding(headers: IncomingHttpHeaders, ownerId: string): string {
    return `${this.name}=${this.devices.add(this.read(headers), ownerId)}; ${this.attributes}`;
  }
}
