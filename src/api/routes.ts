import type { Database } from '../db/database';
import type { DisputeService } from '../disputes/service';
import type { OutboundGuard } from '../notifications/outbound';
import type { NotificationService } from '../notifications/service';
import type { PaymentService } from '../payments/service';
import type { ReconciliationService } from '../reconciliation/service';
import type { PaymentRouter } from '../routing/router';
import type { WalletTokens } from '../wallets/wallet-tokens';
import { disputeRoutes } from './disputes/routes';
import type { Catalogue, Terminals } from './h2h/catalogue';
import { h2hRoutes } from './h2h/routes';
import { healthRoutes, type Readiness } from './health/routes';
import { ledgerRoutes } from './ledger/routes';
import { notificationRoutes } from './notifications/routes';
import { opsRoutes } from './ops/routes';
import { feedRoutes } from './payments/feed';
import { paymentRoutes } from './payments/routes';
import { reconciliationRoutes } from './reconciliation/routes';
import type { Route } from './route';
import { routingRoutes } from './routing/routes';

/** What the handlers work with. The OpenAPI document is made without any of it. */
export interface ApiDependencies {
  database: Database;
  payments: PaymentService;
  disputes: DisputeService;
  reconciliation: ReconciliationService;
  catalogue: Catalogue;
  terminals: Terminals;
  router: PaymentRouter;
  wallets: Pick<WalletTokens, 'open'>;
  outbound: OutboundGuard;
  notifications: NotificationService;
  readiness: Readiness;
}

/** Every endpoint of the conventions, one area after the other. */
export function apiRoutes(deps: ApiDependencies): Route[] {
  return [
    ...h2hRoutes(deps),
    ...paymentRoutes(deps),
    ...feedRoutes(deps),
    ...notificationRoutes(deps),
    ...disputeRoutes(deps),
    ...reconciliationRoutes(deps),
    ...routingRoutes(deps),
    ...ledgerRoutes(deps),
    ...opsRoutes(deps),
    ...healthRoutes(deps),
  ];
}
