import type { ObjectSchema } from 'joi';
import { visit } from 'jsonc-parser';
import { refuseToken } from './refusal';

/**
 * Reads a JSON object that came inside a token. Refuses the token, naming `where`, when it is no JSON, names a member
 * twice (readers differ in which one they take) or does not meet the schema.
 */
export function readJson<T>(schema: ObjectSchema<T>, text: string, where: string): T {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    refuseToken(`cannot be read: ${where} is not JSON`);
  }
  if (namesMemberTwice(text)) refuseToken(`cannot be read: ${where} names a member twice`);
  const { value, error } = schema.validate(parsed, { convert: false });
  if (error) refuseToken(`cannot be read: ${[where, ...error.details[0]!.path].join('.')} is missing or wrong`);
  return value as T;
}

function namesMemberTwice(text: string): boolean {
  const open: Set<string>[] = [];
  let twice = false;
  visit(text, {
    onObjectBegin: () => {
      open.push(new Set());
    },
    onObjectEnd: () => {
      open.pop();
    },
    onObjectProperty: (name) => {
      if (open.at(-1)?.has(name)) twice = true;
      open.at(-1)?.add(name);
    },
  });
  return twice;
}
