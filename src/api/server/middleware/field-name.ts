import { maskDigits } from '../../../foundation/log/mask';

/** The name of a field in an error: `[1].customerType`, `person.email`. Empty for the whole body. */
export function fieldName(path: readonly (string | number)[]): string {
  let name = '';
  for (const step of path)
    name += typeof step === 'number' ? `[${step}]` : name === '' ? shown(step) : `.${shown(step)}`;
  return name;
}

/** The caller wrote the name of an unknown member, so it may be anything. */
export function shown(name: string): string {
  return maskDigits(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
