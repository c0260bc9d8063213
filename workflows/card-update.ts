import type { CardUpdateInput, CardUpdateView } from '../src/domain/flows';
import { evenWhenCancelled, instant, tell } from './flow';
import { remote } from './options';

/** An issuer has changed a card. The flow asks the processor, and changes every saved card with that number. */
export function cardUpdate(input: CardUpdateInput): Promise<CardUpdateView> {
  return evenWhenCancelled(async () => {
    const since = instant(Date.now());
    tell('pending', 'provider', `Asks the processor since ${since} what has become of the card, until it answers.`);
    const view = await remote.applyCardUpdate(input);
    tell('applied', 'nobody', `**applied**: ${view.detail} Nothing more will happen here.`);
    return view;
  });
}
