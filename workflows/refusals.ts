import { ApplicationFailure, log, type WorkflowInterceptors } from '@temporalio/workflow';
import { isRefused } from '../src/domain/flows';
import { cancelNow, resolveUnknown, retryNow } from './signals';

/** What operators send. Refused notes reach the flow, which records that somebody sent one, and does nothing else. */
const RECORDED: ReadonlySet<string> = new Set([cancelNow.name, resolveUnknown.name, retryNow.name]);

/**
 * Keeps what the codec has refused out of every flow. A workflow that was started with it fails at once, and a signal is
 * dropped: throwing there would hold up a flow that has done nothing wrong.
 */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      execute(input, next) {
        const refused = input.args.find(isRefused);
        if (!refused) return next(input);
        return Promise.reject(
          ApplicationFailure.nonRetryable(`a payload is refused: ${refused.$refused}`, 'PayloadRefused'),
        );
      },
      handleSignal(input, next) {
        const { signalName, args } = input;
        if (!args.some(isRefused) || RECORDED.has(signalName)) return next(input);
        log.warn('a signal was dropped: its payload is not of the platform', { signalName });
        return Promise.resolve();
      },
    },
  ],
});

/**
 * The validator of updates that only histories hold. New ones are rejected, whoever sends them: what they ask for is
 * written down by the API, and then the flow is told to proceed.
 */
export function refuseUpdate(): never {
  throw ApplicationFailure.nonRetryable('this is ordered through the API', 'UpdateRefused');
}
