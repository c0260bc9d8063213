import { type QueryKey, useQuery } from '@tanstack/react-query';
import { currentScope } from '../session/scope';

/** Reads once, and again when the page is refreshed. `key` names what is read. */
export function useReading<T>(key: QueryKey, read: (signal: AbortSignal) => Promise<T>, enabled = true) {
  return useQuery({
    queryKey: [...key, currentScope()],
    queryFn: ({ signal }) => read(signal),
    enabled,
  });
}
