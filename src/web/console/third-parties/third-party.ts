import { useReading } from '../parts/reading';
import type { Tone } from '../parts/status';
import { type Answer, api, type BodyOf } from '../server/api';

const ONE = '/onboarding/1.0.0/tpps/{tppId}';

export type ThirdParty = Answer<typeof ONE>;
export type Change = BodyOf<typeof ONE, 'put'>;
export type Profile = ThirdParty['profile'];
export type Key = NonNullable<ThirdParty['jwks']>['keys'][number];

export const STATUS_TONES: Record<ThirdParty['status'], Tone> = { enabled: 'good', disabled: 'bad' };

const PROFILE_ORDER: Record<Profile, number> = { fapi2: 0, fapi1_advanced: 1, fapi1: 2 };
/** Every profile, the strictest first: the compiler misses none. */
export const PROFILES = Object.keys(PROFILE_ORDER) as Profile[];

/** How many tenants are offered; the box at the top offers as many. */
const MOST_TENANTS = 200;

/** The names of the tenants, by id. Empty until they are known. */
export function useTenants(): { names: ReadonlyMap<string, string>; error: unknown } {
  const { data, error } = useReading(['tenants'], (signal) =>
    api.get('/identity/1.0.0/tenants', { query: { limit: MOST_TENANTS }, signal }),
  );
  return { names: new Map(data?.data.map(({ tenantId, name }) => [tenantId, name])), error };
}

/**
 * Changes a third party, unless somebody else has changed it since the page read it: then it answers undefined and sends
 * nothing. What was changed to the same already counts as done, so that it is safe to repeat after a lost answer.
 */
export async function changeThirdParty(shown: ThirdParty, change: Change): Promise<ThirdParty | undefined> {
  const path = { tppId: shown.tppId };
  const now = await api.get(ONE, { path });
  if (now.updatedAt === shown.updatedAt) return api.put(ONE, { path, body: change });
  return isKept(now, change) ? now : undefined;
}

/** Whether a third party is already as a change wants it. */
function isKept(now: ThirdParty, change: Change): boolean {
  return Object.entries(change).every(([name, wanted]) => isPart(now[name as keyof ThirdParty], wanted));
}

/** Of a key the API keeps only the members that it knows. */
function isPart(kept: unknown, sent: unknown): boolean {
  if (typeof kept !== 'object' || typeof sent !== 'object' || kept === null || sent === null) return kept === sent;
  if (Array.isArray(kept) && kept.length !== (sent as unknown[]).length) return false;
  return Object.entries(kept).every(([name, value]) => isPart(value, (sent as Record<string, unknown>)[name]));
}
