import { maskDigits } from '../../../foundation/log/mask';

/** The name of a field in an error: `[1].customerType`, `person.email`; empty for the whole. */
export function fieldName(path: readonly (string | number)[]): string {
  let name = '';
  for (const step of path)
    name += typeof step === 'number' ? `[${step}]` : name === '' ? shown(step) : `.${shown(step)}`;
  return name;
}

/** An unknown member's name is the caller's text, so it may be anything. */
export function shown(name: string): string {
  return maskDigits(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
