import type { WebCustomer } from '../../people/customer-access/web-sessions';

/** What an id token says of how the customer has authenticated: the names of the UK standard (`acr`). */
export const ACRS = ['urn:openbanking:psd2:sca', 'urn:openbanking:psd2:ca'] as const;

export type Acr = (typeof ACRS)[number];

const [SCA, CA] = ACRS;

/**
 * Strong customer authentication (RTS article 4) was done with a second factor at the sign-in, or with the confirmation of
 * this very payment. The password alone is customer authentication. `asked`: see `essentialAcrs`; who asks for the lesser
 * alone is told the lesser.
 */
export function acrOf(
  { hasSecondFactor }: Pick<WebCustomer, 'hasSecondFactor'>,
  stepUpId: string | undefined,
  asked: readonly Acr[] | undefined,
): Acr {
  const isStrong = hasSecondFactor || stepUpId !== undefined;
  return isStrong && (!asked || asked.includes(SCA)) ? SCA : CA;
}

/**
 * Those of which a provider insists on one, by an essential claim (OpenID Connect Core, 5.5.1.1). Undefined: it does not
 * insist. Empty: on none that there is. `claims`: the parameter of an authorization request.
 */
export function essentialAcrs(claims: unknown): readonly Acr[] | undefined {
  if (typeof claims !== 'string') return undefined;
  const { essential, value, values } = JSON.parse(claims).id_token?.acr ?? {};
  if (essential !== true || (value === undefined && values === undefined)) return undefined;
  const named: unknown[] = [value, ...(Array.isArray(values) ? values : [])];
  return ACRS.filter((acr) => named.includes(acr));
}

/** The password alone will not do. */
export function insistsOnSca(claims: unknown): boolean {
  const asked = essentialAcrs(claims);
  return asked !== undefined && !asked.includes(CA);
}
