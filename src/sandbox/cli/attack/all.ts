import type { Attack } from './attack';
import { BODY_ATTACKS } from './bodies';
import { CALLBACK_ATTACKS } from './callbacks';
import { MONEY_ATTACKS } from './money';
import { OPEN_BANKING_ATTACKS } from './open-banking';
import { SOCKET_ATTACKS } from './sockets';
import { TENANT_ATTACKS } from './tenants';
import { TOKEN_ATTACKS } from './tokens';

/** Everything that `npm run attack` tries. */
export const ATTACKS: readonly Attack[] = [
  ...TENANT_ATTACKS,
  ...TOKEN_ATTACKS,
  ...CALLBACK_ATTACKS,
  ...MONEY_ATTACKS,
  ...BODY_ATTACKS,
  ...SOCKET_ATTACKS,
  ...OPEN_BANKING_ATTACKS,
];
