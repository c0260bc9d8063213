import { continueAsNew, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { UnmatchedTransferInput, UnmatchedTransferView } from '../src/domain/flows';
import { evenWhenCancelled, instantIn, show, tell } from './flow';
import { local } from './options';
import { currentView } from './signals';

/** Questions after which the flow goes on as a new run, should the engine not have asked for it before. */
const QUESTIONS = 500;

/** One decision about an incoming transfer that matched no payment, however long the processor takes. */
export function unmatchedTransfer(input: UnmatchedTransferInput): Promise<UnmatchedTransferView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: UnmatchedTransferInput): Promise<UnmatchedTransferView> {
  let view: UnmatchedTransferView | undefined;
  setHandler(currentView, () => view);
  const before = input.tries ?? 0;
  for (let asked = 0; ; asked += 1) {
    if (asked >= QUESTIONS || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof unmatchedTransfer>({ ...input, tries: before + asked });
    view = await local.settleUnmatchedTransfer(input, before + asked);
    const { status, detail, askAgainMs, review } = view;
    if (askAgainMs === undefined) {
      const next = review ? 'An operator has to decide again.' : 'Nothing more will happen here.';
      tell(status, review ? 'operator' : 'nobody', `**${status}**: ${detail} ${next}`);
      return view;
    }
    show({ ...view, waitsFor: 'provider' }, (since) => sentence(since, view!, askAgainMs));
    await sleep(askAgainMs, { summary: 'until the processor is asked again' });
  }
}

function sentence(since: string, { status, detail, review }: UnmatchedTransferView, askAgainMs: number): string {
  const again = `Waits for the processor since ${since}; it is asked again at ${instantIn(askAgainMs)}.`;
  return `**${status}**: ${detail} ${again}${review ? ` **For review: ${review}.**` : ''}`;
}
