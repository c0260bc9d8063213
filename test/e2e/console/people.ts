import type { sharedStack } from '../../setup/stack';
import type { SignedIn } from './visitor';

/** The seeded operator, as the console's sign-in asks for it. */
export function operatorOf({ users }: ReturnType<typeof sharedStack>['credentials']): SignedIn {
  return users.ops;
}
