import type { Tone } from '../parts/status';
import type { RecordOf } from '../server/api';

export type Item = RecordOf<'/inventory/1.0.0/items'>;

/** A new status of the API does not compile before it has a tone. */
export const ITEM_TONES: Record<Item['status'], Tone> = {
  pending_approval: 'waiting',
  approved: 'good',
  rejected: 'bad',
};

/** Where the browser gets a picture of an item. */
export function pictureOf(itemId: string, imageId: string): string {
  return `/inventory/1.0.0/items/${itemId}/images/${imageId}`;
}
