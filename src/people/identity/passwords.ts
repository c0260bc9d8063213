import { randomUUID } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { DomainError } from '../../domain/errors';

/** The library's own algorithm is Argon2id (RFC 9106); OWASP's parameters: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 200;
/** Links to set a forgotten password that one person has at a time. Each stays good until one is used, or its time is up. */
export const MAX_RESET_LINKS = 5;

/** The hash of a password that nobody has. It is compared when there is no other, so that both take the same time. */
let nobodys: Promise<string> | undefined;

/** Hashes of one process at a time: each takes 19 MiB and a core. */
const AT_ONCE = 2;
/** More that wait are refused: a flood of sign-ins must not take the memory and the threads that payments need. */
const MAX_WAITING = 200;
let running = 0;
const waiting: (() => void)[] = [];

/** The PHC string to store. Runs on another thread, about 20 ms of one core. Throws `unavailable` where too many wait. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password.normalize('NFC'), OPTIONS));
}

/** One Argon2id computation whatever `stored` is: undefined (nobody there) takes as long and is false. Throws as above. */
export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  nobodys ??= hash(randomUUID(), OPTIONS);
  const compared = stored ?? (await nobodys);
  const matches = await inTurn(() => verify(compared, password.normalize('NFC')));
  return matches && stored !== undefined;
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING)
      throw new DomainError('unavailable', 'Too many people sign in at once. Try again shortly', {
        retryAfterSeconds: 1,
      });
    // Whoever ends hands its turn on.
    await new Promise<void>((go) => waiting.push(go));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
