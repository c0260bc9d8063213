import { useLocale } from 'react-admin';
import { regionOf } from '../words/words';

/** A moment in the reader's time zone; the exact one in UTC when pointed at. */
export function Instant({ at, date = false }: { at: string | null | undefined; date?: boolean }) {
  const locale = useLocale();
  if (!at) return null;
  const text = new Intl.DateTimeFormat(regionOf(locale), {
    dateStyle: 'medium',
    ...(!date && { timeStyle: 'medium' as const }),
  }).format(new Date(at));
  return (
    <time dateTime={at} title={at} style={{ whiteSpace: 'nowrap' }}>
      {text}
    </time>
  );
}
