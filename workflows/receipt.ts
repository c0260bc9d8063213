import { continueAsNew, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { ReceiptInput, ReceiptView } from '../src/domain/flows';
import { evenWhenCancelled, instantIn, show, tell } from './flow';
import { local } from './options';
import { currentView } from './signals';

/** Questions after which the flow goes on as a new run, should the engine not have asked for it before. */
const QUESTIONS = 500;

/** Money that a processor has and nobody asked for, until it is back with its payer, however long that takes. */
export function receipt(input: ReceiptInput): Promise<ReceiptView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: ReceiptInput): Promise<ReceiptView> {
  let view: ReceiptView | undefined;
  setHandler(currentView, () => view);
  const before = input.tries ?? 0;
  for (let asked = 0; ; asked += 1) {
    if (asked >= QUESTIONS || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof receipt>({ ...input, tries: before + asked });
    view = await local.returnReceipt(input, before + asked);
    const { status, detail, askAgainMs, review } = view;
    if (askAgainMs === undefined) {
      tell(status, review ? 'operator' : 'nobody', `**${status}**: ${detail} Nothing more will happen here.`);
      return view;
    }
    show({ ...view, waitsFor: 'provider' }, (since) => sentence(since, detail, askAgainMs, review));
    await sleep(askAgainMs, { summary: 'until the processor is asked again' });
  }
}

function sentence(since: string, detail: string, askAgainMs: number, review: string | undefined): string {
  const again = `Waits for the processor since ${since}; it is asked again at ${instantIn(askAgainMs)}.`;
  return `**returning**: ${detail} ${again}${review ? ` **For review: ${review}.**` : ''}`;
}
