import type Router from '@koa/router';
import type { PaymentKind, ProcessorId } from '../../domain/connector';
import type { Acquirer } from './acquirer';
import type { Books } from './books';
import type { Calls, Reply } from './calls';
import type { Charges } from './charges';
import type { Disputes } from './disputes';
import type { Notice, OutgoingCallback } from './notice';
import type { PayerView } from './payer-pages/view';
import type { Payers } from './payers';
import type { CardChange, Charge } from './records';
import type { Refusal } from './refusal';
import type { SentTransfers } from './sent-transfers';
import type { Transfers } from './transfers';

/** What a personality works with. */
export interface Desk {
  processor: ProcessorId;
  charges: Charges;
  acquirer: Acquirer;
  payers: Payers;
  disputes: Disputes;
  transfers: Transfers;
  sentTransfers: SentTransfers;
  books: Books;
  calls: Calls;
  /** What the callers of this processor authenticate with. */
  apiKey: string;
  /** Address of the payer's page of a challenge. */
  pageUrl: (challengeId: string) => string;
}

/**
 * One processor's manners: its wire, its words, its signatures. What it does with money is the acquirer's. The wire is
 * written apart from our connector on purpose: otherwise both could make the same mistake, and no test would see it.
 */
export interface Personality {
  readonly processor: ProcessorId;
  /** Shown to payers. */
  readonly name: string;
  /** What it keeps of a capture, in thousandths of the amount. */
  readonly feeThousandths: bigint;
  /** Its API. Paths include the `/<letter>` that all of its paths start with. */
  router(desk: Desk): Router;
  /** Goes on by itself once its payer has authenticated; otherwise the challenge response has to come back. */
  readonly authenticatesItself?: boolean;
  /** Steps between the payer's part and the money, such as confirmations, and how long each takes. */
  stepsOf?(kind: PaymentKind): { steps: number; everyMs: number } | undefined;
  /** A callback secret of its form, where that is not any text. */
  makeSecret?(): string;
  refuse(refusal: Refusal): Reply;
  /** Its own form of a callback, signed with `secret`. */
  render(notice: Notice, secret: string): OutgoingCallback;
  /** How it announces what an issuer has done with a card, where it does. */
  announceCardChange?(change: CardChange, secret: string): OutgoingCallback;
  /** Money comes in on accounts of its own. */
  readonly takesTransfers?: boolean;
  /** It sends money to accounts that its callers name. */
  readonly sendsTransfers?: boolean;
  /** An app of its payers: not behind the key. */
  payerApp?(desk: Desk): Router;
  /** What its payers see of a payment besides merchant, amount and card. */
  viewOf?(charge: Charge): PayerView;
}
