import type { Beneficiaries } from '../beneficiaries/beneficiaries';
import type { DocumentFiles } from '../customers/document-files';
import type { CustomerService } from '../customers/service';
import type { VerificationService } from '../customers/verification-service';
import type { Database } from '../db/database';
import type { DisputeService } from '../disputes/service';
import type { CustomerIdentity } from '../identity/customers/identity';
import type { OutboundGuard } from '../notifications/outbound';
import type { NotificationService } from '../notifications/service';
import type { PaymentService } from '../payments/service';
import type { ReconciliationService } from '../reconciliation/service';
import type { PaymentRouter } from '../routing/router';
import type { CardSaving } from '../saved-cards/verification-service';
import type { StandingOrders } from '../standing-orders/service';
import type { House } from '../topups/house';
import type { TopupService } from '../topups/service';
import type { WalletTokens } from '../wallets/wallet-tokens';
import { belongingRoutes } from './customers/belongings';
import { cardRoutes } from './customers/card-routes';
import { customerRoutes } from './customers/routes';
import { disputeRoutes } from './disputes/routes';
import type { Catalogue, Terminals } from './h2h/catalogue';
import { h2hRoutes } from './h2h/routes';
import { healthRoutes, type Readiness } from './health/routes';
import { credentialRoutes } from './identity/credential-routes';
import { customerSignInRoutes } from './identity/sign-in-routes';
import { twoFactorRoutes } from './identity/two-factor-routes';
import { ledgerRoutes } from './ledger/routes';
import { notificationRoutes } from './notifications/routes';
import { type OnboardingDependencies, onboardingRoutes } from './onboarding/routes';
import { opsRoutes } from './ops/routes';
import { type P2pDependencies, p2pRoutes } from './p2p/routes';
import { feedRoutes } from './payments/feed';
import { paymentRoutes } from './payments/routes';
import { reconciliationRoutes } from './reconciliation/routes';
import type { Route } from './route';
import { routingRoutes } from './routing/routes';
import type { ReadMailbox } from './sandbox/mailbox';
import { sandboxRoutes } from './sandbox/routes';
import { topupRoutes } from './topups/routes';
import { verificationRoutes } from './verification/routes';
import { beneficiaryRoutes } from './wallet/beneficiary-routes';
import { feeRoutes } from './wallet/fee-routes';
import { limitRoutes } from './wallet/limit-routes';
import { standingOrderRoutes } from './wallet/standing-order-routes';
import { statementRoutes } from './wallet/statement-routes';

/** What the handlers work with. The OpenAPI document is made without any of it. */
export interface ApiDependencies extends OnboardingDependencies, P2pDependencies {
  database: Database;
  payments: PaymentService;
  customers: CustomerService;
  topups: TopupService;
  house: House;
  cardSaving: CardSaving;
  beneficiaries: Beneficiaries;
  standingOrders: StandingOrders;
  identity: CustomerIdentity;
  disputes: DisputeService;
  reconciliation: ReconciliationService;
  verification: VerificationService;
  documentFiles: DocumentFiles;
  documentFileLimitBytes: number;
  catalogue: Catalogue;
  terminals: Terminals;
  router: PaymentRouter;
  wallets: Pick<WalletTokens, 'open'>;
  outbound: OutboundGuard;
  notifications: NotificationService;
  readiness: Readiness;
  /** Of the sandbox. */
  mailbox?: ReadMailbox;
}

/** Every endpoint of the conventions, one area after the other. */
export function apiRoutes(deps: ApiDependencies): Route[] {
  return [
    ...h2hRoutes(deps),
    ...paymentRoutes(deps),
    ...topupRoutes(deps),
    ...customerRoutes(deps),
    ...belongingRoutes(deps),
    ...cardRoutes(deps),
    ...beneficiaryRoutes(deps),
    ...standingOrderRoutes(deps),
    ...credentialRoutes(deps),
    ...twoFactorRoutes(deps),
    ...customerSignInRoutes(deps),
    ...onboardingRoutes(deps),
    ...feedRoutes(deps),
    ...notificationRoutes(deps),
    ...p2pRoutes(deps),
    ...disputeRoutes(deps),
    ...verificationRoutes(deps),
    ...reconciliationRoutes(deps),
    ...routingRoutes(deps),
    ...statementRoutes(deps),
    ...feeRoutes(deps),
    ...limitRoutes(deps),
    ...ledgerRoutes(deps),
    ...opsRoutes(deps),
    ...healthRoutes(deps),
    ...sandboxRoutes(deps),
  ];
}
