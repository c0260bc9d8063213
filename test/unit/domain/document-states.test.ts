import { canDocumentBecome, DOCUMENT_STATUSES } from '../../../src/domain/states/document';

const ALLOWED = [
  'underverification verified',
  'underverification rejected',
  'verified rejected',
  'verified expired',
  'rejected verified',
  'rejected underverification',
  'expired underverification',
];

test.each(DOCUMENT_STATUSES.flatMap((from) => DOCUMENT_STATUSES.map((to) => [from, to] as const)))(
  'a document that is %s → %s',
  (from, to) => {
    expect(canDocumentBecome(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
  },
);
