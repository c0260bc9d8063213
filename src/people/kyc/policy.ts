import { toUtc } from '../../domain/instant';
import type { DocumentStatus } from '../../domain/states/document';

/** A document that a customer has to bring: for this purpose, one of these types. */
export interface Requirement {
  purpose: string;
  documentTypes: string[];
}

/** What a tenant requires of each type of customer. Nothing required: a customer is verified by hand alone. */
export type KycPolicy = Record<'Person' | 'Organization', Requirement[]>;

export const DEFAULT_POLICY: KycPolicy = {
  Person: [{ purpose: 'KYC', documentTypes: ['ID front side'] }],
  Organization: [{ purpose: 'KYB', documentTypes: ['Certificate of incorporation'] }],
};

/** The policy among a tenant's settings. */
export function policyOf(settings: { verification?: KycPolicy }): KycPolicy {
  return settings.verification ?? DEFAULT_POLICY;
}

interface Reviewed {
  purpose: string | null;
  document_type: string | null;
  status: DocumentStatus;
}

export function meets({ purpose, documentTypes }: Requirement, document: Reviewed): boolean {
  return document.purpose === purpose && documentTypes.includes(document.document_type ?? '');
}

/** The requirements that no verified document meets. */
export function unmet(requirements: readonly Requirement[], documents: readonly Reviewed[]): Requirement[] {
  return requirements.filter(
    (requirement) => !documents.some((document) => document.status === 'verified' && meets(requirement, document)),
  );
}

/** `KYC ID front side, or Passport` for people. */
export function nameOf({ purpose, documentTypes }: Requirement): string {
  return `${purpose} ${documentTypes.join(', or ')}`;
}

const DAY_MS = 86_400_000;
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** A calendar day alone is good until it ends, UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** When a document expires by its own account: its metadata entry `expiryDate` of type Date. Undefined without one. */
export function statedExpiry(metadata: { name?: string; type?: string; value?: string }[] = []): Date | undefined {
  const entry = metadata.find(({ name, type }) => name === 'expiryDate' && type === 'Date');
  return entry?.value === undefined ? undefined : expiryOf(entry.value);
}

/** A day or an instant (RFC 3339) as the moment in which a document expires; undefined when it is neither. */
export function expiryOf(text: string): Date | undefined {
  const isDay = DAY.test(text);
  const utc = toUtc(isDay ? `${text}T00:00:00Z` : text);
  if (utc === undefined) return undefined;
  // The last day that can be written ends in a year that cannot.
  const end = Date.parse(utc) + (isDay ? DAY_MS : 0);
  return new Date(Math.min(end, LAST_MS));
}
