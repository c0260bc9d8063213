import { randomUUID } from 'node:crypto';
import { escaped } from '../../../domain/html';
import { Merchant } from '../merchant';
import { type Command, UsageError } from './command';

const TRANSFERS = '/bank-transfer/1.0.0/transfers';
/** The simulated processor takes back what is sent to it. */
const PAYER_IBAN = 'DE89370400440532013000';

export interface Transfer {
  paymentId: string;
  reference?: string;
  missing: string;
  currency: string;
  action?: { fields?: { iban?: string } };
}

export const bankStatement: Command = {
  usage: 'bank-statement [PAYMENT …]',
  summary: 'write what a bank would: that payments by bank transfer were paid',
  flags: `  PAYMENT                 pay_…; default: every one that waits for its transfer
  --amount AMOUNT         what the payer sends; default: what is missing
  --text TEXT             what the payer writes; default: the reference`,
  remarks: `A credit notification (camt.054.001.08) goes to standard output. A tenant admin uploads it to
POST /bank-transfer/1.0.0/statements.`,
  options: { amount: { type: 'string' }, text: { type: 'string' } },
  async run({ args, flags, account, say }) {
    const merchant = new Merchant(account());
    const ids = args.length > 0 ? args : await everyOpen(merchant);
    if (ids.length === 0) throw new Error('no payment waits for a bank transfer to an own account');
    const transfers: Transfer[] = [];
    for (const id of ids) transfers.push(await merchant.send('GET', `${TRANSFERS}/${encodeURIComponent(id)}`));
    for (const { paymentId, reference, action } of transfers)
      if (!reference || !action?.fields?.iban)
        throw new UsageError(`${paymentId} does not wait for a transfer to an own account`);
    say(
      notification(transfers, { amount: flags.amount as string | undefined, text: flags.text as string | undefined }),
    );
    return 0;
  },
};

async function everyOpen(merchant: Merchant): Promise<string[]> {
  const open = await merchant.list<Transfer>(`${TRANSFERS}?status=open&limit=200`);
  return open.map(({ paymentId }) => paymentId);
}

/** A credit notification (camt.054.001.08) that says that these were paid. */
export function notification(
  transfers: readonly Transfer[],
  { amount, text }: { amount?: string; text?: string },
): string {
  const now = new Date().toISOString();
  const byAccount = new Map<string, string[]>();
  for (const transfer of transfers) {
    const iban = transfer.action!.fields!.iban!;
    const entry = `    <Ntry><Amt Ccy="${transfer.currency}">${escaped(amount ?? transfer.missing)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><Dt>${now.slice(0, 10)}</Dt></BookgDt><AcctSvcrRef>${randomUUID()}</AcctSvcrRef>
      <NtryDtls><TxDtls><RltdPties><Dbtr><Pty><Nm>A Buyer</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>${PAYER_IBAN}</IBAN></Id></DbtrAcct></RltdPties>
        <RmtInf><Ustrd>${escaped(text ?? transfer.reference!)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;
    byAccount.set(iban, [...(byAccount.get(iban) ?? []), entry]);
  }
  const notifications = [...byAccount].map(
    ([
      iban,
      entries,
    ]) => `  <Ntfctn><Id>${randomUUID()}</Id><CreDtTm>${now}</CreDtTm><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>
${entries.join('\n')}
  </Ntfctn>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn>
  <GrpHdr><MsgId>${randomUUID()}</MsgId><CreDtTm>${now}</CreDtTm></GrpHdr>
${notifications.join('\n')}
</BkToCstmrDbtCdtNtfctn></Document>`;
}
