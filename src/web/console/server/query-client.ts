import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api';

const MOST_TRIES = 3;

/** Reads are repeated when no answer came; what the API refused stays refused. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failed, error) => failed < MOST_TRIES && error instanceof ApiError && error.lost,
      refetchOnWindowFocus: true,
      staleTime: 2_000,
    },
    mutations: { retry: false },
  },
});
