import { TextInput } from 'react-admin';
import { instantOf, localOf } from './input';

/** A filter by a moment: the address and the API have UTC, the field the reader's own time. */
export function InstantFilter({ source, label }: { source: string; label: string; alwaysOn?: boolean }) {
  return <TextInput source={source} label={label} type="datetime-local" parse={utcOf} format={shownOf} />;
}

const utcOf = (local: string): string => (local && !Number.isNaN(Date.parse(local)) ? instantOf(local)! : '');
const shownOf = (utc: string | undefined): string => (utc ? localOf(utc) : '');
