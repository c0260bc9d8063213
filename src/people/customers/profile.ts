import { isDeepStrictEqual } from 'node:util';
import type { CustomerStatus } from '../../domain/states/customer';
import type { CustomerProfile } from './customer';
import type { DocumentRecord } from './documents';

/** The documented customer record, as far as the program looks into it. Whatever else it holds is kept as it came. */
export interface CustomerRecord {
  id?: string;
  customerType: 'Person' | 'Organization';
  customerName: string;
  customerStatus?: CustomerStatus;
  organizationId?: string;
  person?: PersonRecord;
  twofa?: Record<string, unknown>;
  [member: string]: unknown;
}

interface PersonRecord {
  email?: string;
  telephoneNumbers?: { country?: string; number?: string; [member: string]: unknown }[];
  pinCode?: string;
  password?: string;
  SecretQuestion?: { question?: string; answer?: string }[];
  documents?: DocumentRecord[];
  [member: string]: unknown;
}

/** What is only ever kept hashed. Absent: nothing was said about it; null: it is to be removed. */
export interface CustomerSecrets {
  password?: string | null;
  pinCode?: string | null;
  /** All questions there are; one without an answer keeps the answer it had. */
  answers?: { question: string; answer?: string }[];
}

/** What an identity check is about. */
const VERIFIED: Record<string, (record: CustomerRecord) => unknown> = {
  customerName: ({ customerName }) => customerName,
  ...Object.fromEntries(
    ['firstName', 'lastName', 'fullName', 'dateOfBirth', 'nationality'].map((name) => [
      `person.${name}`,
      ({ person }: CustomerRecord) => person?.[name],
    ]),
  ),
};

/** The names of the members that an identity check is about and that differ between two records. */
export function verifiedDifferences(one: CustomerRecord, other: CustomerRecord): string[] {
  const isSame = (of: (record: CustomerRecord) => unknown) =>
    isDeepStrictEqual(of(one) || undefined, of(other) || undefined);
  return Object.keys(VERIFIED).filter((name) => !isSame(VERIFIED[name]!));
}

/** The part of a customer record that is kept and shown. Members that are columns, secret or ours to set are taken out. */
export function profileOf(record: CustomerRecord, earlier?: CustomerProfile): CustomerProfile {
  const { customerStatus: _status, organizationId: _organization, person, twofa, ...profile } = record;
  if (person) profile.person = shownPerson(person);
  if (twofa) {
    const { targetCode: _target, inputCode: _input, codematch: _match, ...shown } = twofa;
    profile.twofa = { ...shown, codematch: isMatched(shown, (earlier as CustomerRecord | undefined)?.twofa) };
  }
  return profile;
}

/** A code that matched was sent to one target: it says nothing about another. */
function isMatched(twofa: Record<string, unknown>, earlier: Record<string, unknown> = {}): boolean {
  const { targetType, targetValue } = twofa;
  return earlier.codematch === true && earlier.targetType === targetType && earlier.targetValue === targetValue;
}

/** The fields that a record needs and lacks. Type and name of a customer cannot be cleared. */
export function missingOf({ customerType, person }: CustomerRecord): string[] {
  if (customerType !== 'Person') return [];
  const { firstName, lastName, email } = (person ?? {}) as Record<string, { name?: string } | undefined>;
  return [
    ...(firstName?.name ? [] : ['person.firstName']),
    ...(lastName?.name ? [] : ['person.lastName']),
    ...(email ? [] : ['person.email']),
  ];
}

function shownPerson(person: PersonRecord): Record<string, unknown> {
  const { pinCode: _pin, password: _password, ...shown } = person;
  if (person.SecretQuestion) shown.SecretQuestion = person.SecretQuestion.map(({ answer: _answer, ...rest }) => rest);
  // They have rows of their own; the list, empty, says that there was one.
  if (person.documents) shown.documents = [];
  return shown;
}

/** The secrets of a new record. An empty one counts as absent. */
export function secretsOf({ person }: CustomerRecord): CustomerSecrets {
  return {
    password: person?.password || undefined,
    pinCode: person?.pinCode || undefined,
    answers: answersOf(person?.SecretQuestion),
  };
}

/** What a partial record says about secrets: `null` removes, an empty one too. */
export function changedSecrets(patch: Record<string, unknown>): CustomerSecrets {
  if (patch.person === null) return { password: null, pinCode: null, answers: [] };
  const { password, pinCode, SecretQuestion } = (patch.person ?? {}) as PersonRecord;
  return {
    password: password === undefined ? undefined : password || null,
    pinCode: pinCode === undefined ? undefined : pinCode || null,
    answers: SecretQuestion === null ? [] : answersOf(SecretQuestion),
  };
}

function answersOf(questions: PersonRecord['SecretQuestion']): CustomerSecrets['answers'] {
  return questions?.map(({ question, answer }) => ({ question: question ?? '', answer: answer || undefined }));
}

/**
 * A record with a partial one merged into it: objects member by member, `null` clears, everything else (arrays too)
 * replaces what was there.
 */
export function merged<T>(known: T, patch: unknown): T {
  if (Array.isArray(patch)) return patch.map((element) => merged(undefined, element)) as T;
  if (!isObject(patch)) return patch as T;
  const result: Record<string, unknown> = isObject(known) ? { ...known } : {};
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  return result as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
