import type { CardData, StoredInstrument } from '../../domain/connector';
import type { DeviceWalletCard } from '../../edge/device-wallets/payment';
import type { MandateOrder } from '../../money/payments/mandates';
import type { Method } from '../../money/routing/catalogue';
import type { H2hBody } from './schema';

/** What a request pays with: the part kept with the payment, the card for the vault, and a new mandate. */
export interface RequestInstrument {
  instrument?: StoredInstrument;
  card?: CardData;
  /** The hash of a device-wallet token, which pays once. */
  walletToken?: string;
  mandate?: MandateOrder;
}

interface Means {
  /** Throws `invalid_request` if the token is wrong. */
  openWallet(wallet: 'first' | 'second', token: Record<string, unknown>): DeviceWalletCard;
  /** The id of the mandate that this request creates. */
  mandateId(): string;
}

const FIRST_WALLET = new Set([48, 49, 50, 51, 56, 57, 58, 59]);
const REDIRECT = 27;

/** Reads the member for the method's kind from a validated body. */
export function instrumentOf(method: Method, body: H2hBody, means: Means): RequestInstrument {
  switch (method.kind) {
    case 'card':
      return { card: body.card };
    case 'wallet':
      return walletOf(FIRST_WALLET.has(method.id) ? 'first' : 'second', body, means);
    case 'upi':
      return { instrument: upiOf(body) };
    case 'apm':
      return { instrument: { kind: 'apm', scheme: method.id === REDIRECT ? 'redirect' : 'voucher', ...body.apm! } };
    case 'bank_transfer':
      return { instrument: { kind: 'bank_transfer', ...body.bankTransfer } };
    case 'direct_debit':
      return debitOf(body.directDebit!, means);
    case 'crypto':
      return { instrument: { kind: 'crypto', asset: body.crypto!.asset } };
    case 'qr':
    case 'hosted_page':
      return { instrument: { kind: method.kind } };
  }
}

function upiOf({ upi }: H2hBody): StoredInstrument {
  return upi?.vpa ? { kind: 'upi', flow: 'collect', vpa: upi.vpa } : { kind: 'upi', flow: upi?.flow ?? 'intent' };
}

/** The cryptogram replaces the CVV. It works once, and we keep it no longer than a CVV. */
function walletOf(wallet: 'first' | 'second', body: H2hBody, means: Means): RequestInstrument {
  const { cryptogram, holder, tokenHash, ...card } = means.openWallet(wallet, body.walletToken!);
  const { firstName = '', lastName = '' } = body.customer ?? {};
  return {
    instrument: { kind: 'wallet', wallet },
    walletToken: tokenHash,
    card: { ...card, holder: holder ?? `${firstName} ${lastName}`.trim(), cvv: cryptogram },
  };
}

function debitOf(debit: NonNullable<H2hBody['directDebit']>, means: Means): RequestInstrument {
  const { iban, accountHolder, signedAt } = debit;
  if (!iban) return { instrument: { kind: 'direct_debit', mandateId: debit.mandateId! } };
  const mandateId = means.mandateId();
  return {
    instrument: { kind: 'direct_debit', mandateId },
    mandate: { mandateId, iban, accountHolder: accountHolder!, signedAt: signedAt! },
  };
}
