import { tell } from './flow';
import { remote } from './options';

/** Tells customers by e-mail of saved cards that expire soon, batch by batch. Started by a schedule, once a day. */
export async function cardExpiry(): Promise<number> {
  let told = 0;
  for (let more = true; more; ) {
    const batch = await remote.tellOfExpiringCards();
    told += batch.told;
    more = batch.more;
  }
  tell('done', 'nobody', `**done**: ${told} customers' cards expire soon, and they have been told.`);
  return told;
}
