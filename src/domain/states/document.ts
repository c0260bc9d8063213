import { canMoveBy, type Moves } from './moves';

/** The states of a customer's document, the first one spelled as the service description spells it. */
export const DOCUMENT_STATUSES = ['underverification', 'verified', 'rejected', 'expired'] as const;

export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** Every move a document may make. A new file brings one that was turned down or has expired back under review. */
export const DOCUMENT_TRANSITIONS: Moves<DocumentStatus> = {
  underverification: ['verified', 'rejected'],
  verified: ['rejected', 'expired'],
  rejected: ['verified', 'underverification'],
  expired: ['underverification'],
};

export const canDocumentBecome = canMoveBy(DOCUMENT_TRANSITIONS);
