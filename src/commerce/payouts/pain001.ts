import { XMLBuilder } from 'fast-xml-parser';
import { formatAmount } from '../../domain/money';
import type { PayoutRow } from './payout';

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';
/** Longest texts of the standard. */
const MAX_ID = 35;
const MAX_NAME = 140;
const MAX_TEXT = 140;

/** Where a payout goes, complete. */
export interface Creditor {
  iban: string;
  holder: string;
  bic?: string | null;
}

/** A payout, and where it goes. */
export interface Transfer {
  payout: PayoutRow;
  creditor: Creditor;
}

/** Who pays, as the bank knows it. */
export interface Debtor {
  name: string;
  /** The tenant's own reference: the bank that executes the file knows the account by agreement. */
  id: string;
}

const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', format: true });

/**
 * Payouts as an ISO 20022 customer credit transfer initiation (pain.001.001.09), for a bank that takes files: one payment
 * information block per currency and day. Each is named end to end by its payout id. Throws RangeError for none at all.
 */
export function pain001(debtor: Debtor, payouts: readonly Transfer[], now: Date): string {
  const [first] = payouts;
  if (!first) throw new RangeError('a file needs one payout at least');
  const groups = new Map<string, Transfer[]>();
  for (const transfer of payouts) {
    const key = `${transfer.payout.currency} ${dayOf(transfer.payout.send_at)}`;
    groups.set(key, [...(groups.get(key) ?? []), transfer]);
  }
  const document = {
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    Document: {
      '@xmlns': NAMESPACE,
      CstmrCdtTrfInitn: {
        GrpHdr: {
          MsgId: idOf(first.payout),
          CreDtTm: now.toISOString(),
          NbOfTxs: String(payouts.length),
          InitgPty: { Nm: debtor.name.slice(0, MAX_NAME) },
        },
        PmtInf: [...groups.values()].map((group) => paymentInformation(debtor, group)),
      },
    },
  };
  return builder.build(document);
}

function paymentInformation(debtor: Debtor, group: readonly Transfer[]) {
  const { payout: first } = group[0]!;
  const total = group.reduce((sum, { payout }) => sum + payout.amount_minor, 0n);
  return {
    PmtInfId: idOf(first),
    PmtMtd: 'TRF',
    NbOfTxs: String(group.length),
    CtrlSum: formatAmount(total, first.currency),
    ...(first.currency === 'EUR' && { PmtTpInf: { SvcLvl: { Cd: 'SEPA' } } }),
    ReqdExctnDt: { Dt: dayOf(first.send_at) },
    Dbtr: { Nm: debtor.name.slice(0, MAX_NAME) },
    DbtrAcct: { Id: { Othr: { Id: debtor.id.slice(-34) } } },
    DbtrAgt: { FinInstnId: { Othr: { Id: 'NOTPROVIDED' } } },
    ChrgBr: 'SLEV',
    CdtTrfTxInf: group.map(({ payout, creditor }) => ({
      PmtId: { InstrId: idOf(payout), EndToEndId: idOf(payout) },
      Amt: { InstdAmt: { '@Ccy': payout.currency, '#text': formatAmount(payout.amount_minor, payout.currency) } },
      ...(creditor.bic && { CdtrAgt: { FinInstnId: { BICFI: creditor.bic } } }),
      Cdtr: { Nm: creditor.holder.slice(0, MAX_NAME) },
      CdtrAcct: { Id: { IBAN: creditor.iban } },
      RmtInf: { Ustrd: `Payout ${payout.number} ${payout.id}`.slice(0, MAX_TEXT) },
    })),
  };
}

/** A payout id has 30 characters; the standard allows 35. */
function idOf({ id }: PayoutRow): string {
  return id.slice(0, MAX_ID);
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
