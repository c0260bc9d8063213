/** JSON for a jsonb parameter: amounts stay exact, as decimal text. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `${inner}` : inner));
}
