import type { CardUpdateInput, CardUpdateView } from '../src/domain/flows';
import { evenWhenCancelled, instant, tell } from './flow';
import { remote } from './options';

/** What an issuer has done with a card: the processor is asked, and every saved card of that number follows. */
export function cardUpdate(input: CardUpdateInput): Promise<CardUpdateView> {
  return evenWhenCancelled(async () => {
    const since = instant(Date.now());
    tell('pending', 'provider', `Asks the processor since ${since} what has become of the card, until it answers.`);
    const view = await remote.applyCardUpdate(input);
    tell('applied', 'nobody', `**applied**: ${view.detail} Nothing more will happen here.`);
    return view;
  });
}
