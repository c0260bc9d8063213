import { DomainError } from '../../domain/errors';

const TIMEOUT_MS = 3_000;

/** What the simulator at this address answers. Rejects with `unavailable` while it is away; `what` is the beginning of its words. */
export async function askSimulator<Answer>(simulatorUrl: string, path: string, what: string): Promise<Answer> {
  try {
    const response = await fetch(simulatorUrl + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`the simulator answers ${response.status}`);
    return (await response.json()) as Answer;
  } catch (error) {
    throw new DomainError('unavailable', `${what} is temporarily unavailable. Try again shortly`, { cause: error });
  }
}
