import type { Database } from '../../foundation/db/database';
import type { KnownDevices } from './known-devices';
import { passwordMatches } from './passwords';
import { SignInThrottle } from './sign-in-throttle';
import { tokenDigest } from './tokens';
import { forgiveTries, takeTry, WRONG_TRIES } from './tries';

/** A stored password: a row with `failures`, `locked_until` and the hash. */
export interface StoredPassword {
  table: string;
  row: Record<string, unknown>;
  /** Column of the PHC string, text or bytea. */
  column?: string;
  /** The customer or user whose password it is. */
  ownerId: string;
}

/** Who tries a password, as far as one can know. */
export interface Guess {
  /** What was typed for a name. */
  name: string;
  /** The address it comes from. */
  source: string;
  /** What the device shows to be known (`KnownDevices`). */
  device?: string;
}

/** Wrong tries of all devices that are not known before all these wait, and for how long everybody waits. */
const WRONG_TRIES_OF_STRANGERS = 100;
const LOCK_SECONDS = 1_800;

/**
 * Whether a password is right. Ten wrong tries from one source lock the password for that source, for 30 minutes; a hundred
 * from anywhere lock it for every device that is not known. So nobody locks somebody else out: a device on which that
 * person has signed in before has ten tries of its own.
 */
export class PasswordCheck {
  private readonly bySource: SignInThrottle;

  constructor(
    private readonly database: Pick<Database, 'system'>,
    private readonly devices: Pick<KnownDevices, 'find'>,
  ) {
    this.bySource = new SignInThrottle(database as Database, 'password', WRONG_TRIES, LOCK_SECONDS);
  }

  /**
   * The same statements and the same hash whether `stored` is somebody's, or undefined (nobody). Nothing is hashed once a
   * source has had its tries. A new password, by a reset too, starts all counts anew.
   */
  async matches(stored: StoredPassword | undefined, password: string, guess: Guess): Promise<boolean> {
    const { system } = this.database;
    const { table, row, column = 'hash', ownerId } = stored ?? NOBODYS;
    const hash: string | undefined = (await system(table).where(row).first(column))?.[column]?.toString();
    const deviceId = this.devices.find(guess.device, ownerId);
    const from = deviceId ? `device ${deviceId}` : guess.source;
    // Bound to the very hash: what was counted against the password before does not count against the next.
    const about = hash ? `hash ${tokenDigest(hash)}` : `name ${guess.name.trim().toLowerCase()}`;
    if ((await this.bySource.take(about, from)) > 0) return false;
    const admitted = deviceId ? true : await takeTry(system, table, row, WRONG_TRIES_OF_STRANGERS);
    if (!(await passwordMatches(hash, password)) || !admitted) return false;
    await this.bySource.forgive(about, from);
    await forgiveTries(system, table, row);
    return true;
  }
}

const NOBODYS: StoredPassword = {
  table: 'customer_secrets',
  row: { customer_id: '', kind: 'password' },
  ownerId: '',
};
