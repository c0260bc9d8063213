import type { Approvals } from '../commerce/approvals/service';
import type { ItemImages } from '../commerce/inventory/images';
import type { Inventory } from '../commerce/inventory/service';
import type { Orders } from '../commerce/orders/service';
import type { PageThemes } from '../commerce/page-themes/service';
import type { PaymentLinks } from '../commerce/payment-links/service';
import type { PayoutAccounts } from '../commerce/payouts/accounts';
import type { PayoutDesk } from '../commerce/payouts/desk';
import type { Payouts } from '../commerce/payouts/service';
import type { Tickets } from '../commerce/tickets/tickets';
import type { CallbackDesk } from '../edge/callbacks/desk';
import type { DeviceWalletTokens } from '../edge/device-wallets/device-wallet-tokens';
import type { Endpoints } from '../edge/notifications/endpoints';
import type { NotificationService } from '../edge/notifications/service';
import type { Database } from '../foundation/db/database';
import type { OutboundGuard } from '../foundation/outbound/guard';
import type { AuthenticationPolicies } from '../money/authentication/policies';
import type { Beneficiaries } from '../money/beneficiaries/beneficiaries';
import type { BooksAudits } from '../money/books-check/audit';
import type { CustomerAccounts } from '../money/customer-accounts/service';
import type { DisputeService } from '../money/disputes/service';
import type { Interventions } from '../money/interventions/service';
import type { PaymentService } from '../money/payments/service';
import type { ReconciliationService } from '../money/reconciliation/service';
import type { Catalogue } from '../money/routing/catalogue';
import type { PaymentRouter } from '../money/routing/router';
import type { CardSaving } from '../money/saved-cards/card-saving';
import type { PaymentMethods } from '../money/saved-cards/payment-methods';
import type { StandingOrders } from '../money/standing-orders/service';
import type { SuspenseService } from '../money/suspense/service';
import type { HouseAccounts } from '../money/topups/house-account';
import type { TopupService } from '../money/topups/service';
import type { Consents } from '../open-banking/consents/service';
import type { CustomerIdentity } from '../people/customer-access/identity';
import type { DocumentFiles } from '../people/customers/document-files';
import type { CustomerService } from '../people/customers/service';
import type { Terminals } from '../people/identity/terminals';
import type { KycService } from '../people/kyc/service';
import { type AccountInformationDependencies, accountInformationRoutes } from './account-information/routes';
import { approvalRoutes } from './approvals/routes';
import { type BankTransferDependencies, bankTransferRoutes } from './bank-transfers/routes';
import { consentDashboardRoutes } from './consents/dashboard-routes';
import { consentEntranceRoutes } from './consents/entrance-routes';
import { cardRoutes } from './customers/card-routes';
import { accountRoutes } from './customers/export';
import { customerRoutes } from './customers/routes';
import { sharingRoutes } from './customers/sharing-routes';
import { disputeRoutes } from './disputes/routes';
import { h2hRoutes } from './h2h/routes';
import { healthRoutes, type Readiness } from './health/routes';
import { auditLogRoutes } from './identity/audit-log-routes';
import { clientRoutes } from './identity/client-routes';
import { credentialRoutes } from './identity/credential-routes';
import { passkeyRoutes } from './identity/passkey-routes';
import { peopleRoutes } from './identity/people-routes';
import { scopeRoutes } from './identity/scope-routes';
import { sessionRoutes } from './identity/session-routes';
import { customerSignInRoutes } from './identity/sign-in-routes';
import { twoFactorRoutes } from './identity/two-factor-routes';
import { userFactorRoutes } from './identity/user-factor-routes';
import { userRoutes } from './identity/user-routes';
import { userSessionRoutes } from './identity/user-session-routes';
import { webSessionRoutes } from './identity/web-session-routes';
import { inventoryRoutes } from './inventory/routes';
import { ledgerRoutes } from './ledger/routes';
import type { ReadMailbox } from './mailbox/mailbox';
import { sandboxRoutes } from './mailbox/routes';
import type { ReadTestCards } from './mailbox/test-cards';
import { endpointRoutes } from './notifications/endpoint-routes';
import { notificationRoutes } from './notifications/routes';
import { type OnboardingDependencies, onboardingRoutes } from './onboarding/routes';
import { auditRoutes } from './ops/audit-routes';
import { opsCallbackRoutes } from './ops/callback-routes';
import { interventionRoutes } from './ops/intervention-routes';
import { opsLinkRoutes } from './ops/link-routes';
import { opsPayoutRoutes } from './ops/payout-routes';
import { type PlatformDependencies, platformRoutes } from './ops/platform-routes';
import { opsRoutes } from './ops/routes';
import { tenantRoutes } from './ops/tenant-routes';
import { unmatchedTransferRoutes } from './ops/unmatched-routes';
import { worklistRoutes } from './ops/worklist-routes';
import { orderRoutes } from './orders/routes';
import type { P2pDependencies } from './p2p/dependencies';
import { p2pRoutes } from './p2p/routes';
import { type PaymentInitiationDependencies, paymentInitiationRoutes } from './payment-initiation/routes';
import { paymentLinkApprovalRoutes } from './payment-links/approval-routes';
import { linkQrRoutes } from './payment-links/qr-routes';
import { paymentLinkRoutes } from './payment-links/routes';
import { pageThemeRoutes } from './payment-links/theme-routes';
import { ticketRoutes } from './payment-links/ticket-routes';
import { feedRoutes } from './payments/feed';
import { paymentRoutes } from './payments/routes';
import { payoutRoutes } from './payouts/routes';
import { reconciliationRoutes } from './reconciliation/routes';
import { attemptLimitRoutes } from './routing/attempt-limit-routes';
import { authenticationPolicyRoutes } from './routing/authentication-policy-routes';
import { routingRoutes } from './routing/routes';
import type { KnownDeviceCookie } from './server/known-device-cookie';
import type { Route } from './server/route';
import type { SessionCookie } from './server/session-cookie';
import { topupRoutes } from './topups/routes';
import { verificationRoutes } from './verification/routes';
import { beneficiaryRoutes } from './wallet/beneficiary-routes';
import { feeRoutes } from './wallet/fee-routes';
import { limitRoutes } from './wallet/limit-routes';
import { standingOrderRoutes } from './wallet/standing-order-routes';
import { statementRoutes } from './wallet/statement-routes';

/** The dependencies of the handlers. The OpenAPI document is made without them. */
export interface ApiDependencies
  extends AccountInformationDependencies,
    OnboardingDependencies,
    P2pDependencies,
    BankTransferDependencies,
    PaymentInitiationDependencies,
    PlatformDependencies {
  database: Database;
  payments: PaymentService;
  idempotencyRetentionMs: number;
  customers: CustomerService;
  bulkBodyLimitBytes: number;
  customerAccounts: CustomerAccounts;
  paymentMethods: PaymentMethods;
  topups: TopupService;
  house: HouseAccounts;
  cardSaving: CardSaving;
  beneficiaries: Beneficiaries;
  standingOrders: StandingOrders;
  identity: CustomerIdentity;
  sessionCookie: SessionCookie;
  knownDeviceCookie: KnownDeviceCookie;
  disputes: DisputeService;
  reconciliation: ReconciliationService;
  suspense: SuspenseService;
  verification: KycService;
  documentFiles: DocumentFiles;
  documentFileLimitBytes: number;
  catalogue: Catalogue;
  terminals: Terminals;
  router: PaymentRouter;
  authentication: AuthenticationPolicies;
  wallets: Pick<DeviceWalletTokens, 'open'>;
  outbound: OutboundGuard;
  notifications: NotificationService;
  endpoints: Endpoints;
  inventory: Inventory;
  itemImages: ItemImages;
  /** The largest picture of an item, in bytes. */
  itemImageLimitBytes: number;
  orders: Orders;
  paymentLinks: PaymentLinks;
  consents: Consents;
  /** Base address of the entrance of third-party providers. */
  authUrl: string;
  pageThemes: PageThemes;
  tickets: Tickets;
  payouts: Payouts;
  interventions: Interventions;
  callbackDesk: CallbackDesk;
  booksAudits: BooksAudits;
  payoutDesk: PayoutDesk;
  approvals: Approvals;
  payoutAccounts: PayoutAccounts;
  readiness: Readiness;
  /** Present in the sandbox only. */
  mailbox?: ReadMailbox;
  /** Present in the sandbox only. */
  testCards?: ReadTestCards;
}

/** All endpoints that follow the conventions, area by area. */
export function apiRoutes(deps: ApiDependencies): Route[] {
  return [
    ...h2hRoutes(deps),
    ...paymentRoutes(deps),
    ...topupRoutes(deps),
    ...customerRoutes(deps),
    ...accountRoutes(deps),
    ...cardRoutes(deps),
    ...beneficiaryRoutes(deps),
    ...standingOrderRoutes(deps),
    ...credentialRoutes(deps),
    ...webSessionRoutes(deps),
    ...twoFactorRoutes(deps),
    ...customerSignInRoutes(deps),
    ...userRoutes(deps),
    ...userSessionRoutes(deps),
    ...userFactorRoutes(deps),
    ...passkeyRoutes(deps),
    ...peopleRoutes(deps),
    ...clientRoutes(deps),
    ...sessionRoutes(deps),
    ...auditLogRoutes(deps),
    ...scopeRoutes(deps),
    ...onboardingRoutes(deps),
    ...feedRoutes(deps),
    ...notificationRoutes(deps),
    ...endpointRoutes(deps),
    ...p2pRoutes(deps),
    ...disputeRoutes(deps),
    ...verificationRoutes(deps),
    ...reconciliationRoutes(deps),
    ...routingRoutes(deps),
    ...sharingRoutes(deps),
    ...attemptLimitRoutes(deps),
    ...authenticationPolicyRoutes(deps),
    ...statementRoutes(deps),
    ...feeRoutes(deps),
    ...limitRoutes(deps),
    ...ledgerRoutes(deps),
    ...inventoryRoutes(deps),
    ...orderRoutes(deps),
    ...paymentLinkRoutes(deps),
    ...linkQrRoutes(deps),
    ...paymentLinkApprovalRoutes(deps),
    ...consentDashboardRoutes(deps),
    ...accountInformationRoutes(deps),
    ...consentEntranceRoutes(deps),
    ...pageThemeRoutes(deps),
    ...ticketRoutes(deps),
    ...payoutRoutes(deps),
    ...bankTransferRoutes(deps),
    ...approvalRoutes(deps),
    ...opsRoutes(deps),
    ...opsLinkRoutes(deps),
    ...worklistRoutes(deps),
    ...interventionRoutes(deps),
    ...opsCallbackRoutes(deps),
    ...auditRoutes(deps),
    ...platformRoutes(deps),
    ...tenantRoutes(deps),
    ...opsPayoutRoutes(deps),
    ...unmatchedTransferRoutes(deps),
    ...paymentInitiationRoutes(deps),
    ...healthRoutes(deps),
    ...sandboxRoutes(deps),
  ];
}
