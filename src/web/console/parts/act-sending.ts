import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../server/api';

/** With what an act is sent. */
export interface Asked {
  idempotencyKey: string;
}

/** What became of it. */
export interface Outcome {
  state: 'done' | 'refused' | 'pending';
  /** In words, the amount with them. */
  text?: string;
}

export type Step = 'asking' | 'sending' | 'lost' | 'unknown' | 'waiting' | 'stillWaiting' | 'known';

interface Parts<Answer> {
  id: string;
  send(asked: Asked): Promise<Answer>;
  values?: unknown;
  outcomeOf?(answer: Answer): Outcome;
  poll?(signal: AbortSignal): Promise<Answer>;
  onDone?(answer: Answer): void;
}

/** Pauses between repetitions after a lost answer, in milliseconds. */
const AGAIN_MS = [500, 1_000, 2_000, 4_000, 8_000];
const FIRST_POLL_MS = 700;
const LONGEST_POLL_MS = 5_000;
const POLL_FOR_MS = 120_000;

/**
 * Sends an act. The key is made when it is first sent with these values, and kept in this tab until something definite is
 * known: a page that was reloaded, or a second press, asks about the same act and does not do it again.
 */
export function useAct<Answer>({ id, send, values, outcomeOf, poll, onDone }: Parts<Answer>) {
  const [step, setStep] = useState<Step>('asking');
  const [error, setError] = useState<unknown>();
  const [outcome, setOutcome] = useState<Outcome>();
  const isRunning = useRef(false);
  /** Which question the dialog shows: what became of an earlier one is not told in it. */
  const question = useRef(0);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    const { current } = leaving;
    return () => current.abort();
  }, []);

  const known = (answer: Answer, what: Outcome, about: number) => {
    if (about === question.current) {
      setOutcome(what);
      setStep('known');
    }
    onDone?.(answer);
  };

  async function watch(about: number): Promise<void> {
    setStep('waiting');
    const { signal } = leaving.current;
    const until = Date.now() + POLL_FOR_MS;
    for (let pauseMs = FIRST_POLL_MS; Date.now() < until; pauseMs = Math.min(LONGEST_POLL_MS, pauseMs * 1.5)) {
      await pause(pauseMs);
      if (signal.aborted) return;
      const answer = await poll!(signal).catch(() => undefined);
      if (signal.aborted) return;
      const what = answer === undefined ? undefined : (outcomeOf?.(answer) ?? DONE);
      if (what && what.state !== 'pending') return known(answer!, what, about);
    }
    if (about === question.current) setStep('stillWaiting');
  }

  async function run(): Promise<void> {
    // A second press while the first is under way is the same act.
    if (isRunning.current) return;
    isRunning.current = true;
    setError(undefined);
    setStep('sending');
    const asked = { idempotencyKey: keyOf(id, values) };
    const { current } = question;
    try {
      for (let tries = 0; ; tries += 1) {
        try {
          const answer = await send(asked);
          forgetKey(id);
          const what = outcomeOf?.(answer) ?? DONE;
          if (what.state === 'pending' && poll) return void watch(current);
          return known(answer, what, current);
        } catch (thrown) {
          const lost = thrown instanceof ApiError && thrown.lost;
          if (!lost) {
            // Definite: nothing was done. The next try is another act.
            forgetKey(id);
            setError(thrown);
            return setStep('asking');
          }
          const pauseMs = AGAIN_MS[tries];
          if (pauseMs === undefined) {
            setError(thrown);
            return setStep('unknown');
          }
          setStep('lost');
          await pause(thrown.retryAfterMs ?? pauseMs);
        }
      }
    } finally {
      isRunning.current = false;
    }
  }

  return {
    step,
    error,
    outcome,
    run: () => void run(),
    /** The dialog was closed: the next time it asks anew. What is unknown keeps its key. */
    forget: () => {
      question.current += 1;
      setStep('asking');
      setError(undefined);
      setOutcome(undefined);
    },
  };
}

const DONE: Outcome = { state: 'done' };
const KEPT = 'tillway.act.';

function keyOf(id: string, values: unknown): string {
  const about = JSON.stringify(values ?? null);
  const kept = JSON.parse(sessionStorage.getItem(KEPT + id) ?? 'null') as { key: string; about: string } | null;
  if (kept?.about === about) return kept.key;
  const key = crypto.randomUUID();
  sessionStorage.setItem(KEPT + id, JSON.stringify({ key, about }));
  return key;
}

function forgetKey(id: string): void {
  sessionStorage.removeItem(KEPT + id);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
