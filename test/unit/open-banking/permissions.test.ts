import { PERMISSIONS, refusalOf } from '../../../src/open-banking/consents/permissions';

const DEPTH = 'must have ReadTransactionsCredits or ReadTransactionsDebits';
const SIDE = 'must have ReadTransactionsBasic or ReadTransactionsDetail';

test.each([
  [['ReadAccountsBasic'], undefined],
  [['ReadAccountsDetail', 'ReadBalances'], undefined],
  [[...PERMISSIONS], undefined],
  [['ReadAccountsBasic', 'ReadTransactionsBasic', 'ReadTransactionsCredits'], undefined],
  [['ReadAccountsBasic', 'ReadTransactionsDetail', 'ReadTransactionsDebits'], undefined],
  [[], 'must have ReadAccountsBasic or ReadAccountsDetail'],
  [['ReadBalances'], 'must have ReadAccountsBasic or ReadAccountsDetail'],
  [['ReadAccountsBasic', 'ReadTransactionsBasic'], DEPTH],
  [['ReadAccountsBasic', 'ReadTransactionsDetail'], DEPTH],
  [['ReadAccountsBasic', 'ReadTransactionsCredits'], SIDE],
  [['ReadAccountsBasic', 'ReadTransactionsDebits'], SIDE],
  [['ReadAccountsBasic', 'ReadEverything'], 'may name'],
  [['ReadAccountsBasic', 'readbalances'], 'may name'],
])('%j: %s', (permissions, refusal) => {
  if (refusal === undefined) expect(refusalOf(permissions)).toBeUndefined();
  else expect(refusalOf(permissions)).toContain(refusal);
});
