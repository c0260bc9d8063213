import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { currentScope } from '../session/scope';

const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;
/** Nobody looks at a page for longer and waits. */
const GIVE_UP_MS = 15 * 60_000;

/**
 * Reads again and again, with growing pauses, until `isFinal`; not while the page is hidden, and not longer than a
 * quarter of an hour. `key` names what is read.
 */
export function useLive<T>(
  key: QueryKey,
  read: (signal: AbortSignal) => Promise<T>,
  isFinal: (value: T) => boolean,
  enabled = true,
) {
  const startedAt = useRef(Date.now());
  return useQuery({
    queryKey: [...key, currentScope()],
    queryFn: ({ signal }) => read(signal),
    enabled,
    refetchInterval: ({ state }) => {
      const passedMs = Date.now() - startedAt.current;
      if (passedMs > GIVE_UP_MS || (state.data !== undefined && isFinal(state.data))) return false;
      return Math.min(LONGEST_MS, Math.max(FIRST_MS, passedMs / 4));
    },
    refetchIntervalInBackground: false,
  });
}
