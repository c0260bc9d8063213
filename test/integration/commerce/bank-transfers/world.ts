import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { BankAccounts } from '../../../../src/commerce/bank-statements/account';
import { BankStatements, type Uploaded } from '../../../../src/commerce/bank-statements/upload';
import { BANK_CHECKS } from '../../../../src/commerce/bank-transfers/bank-checks';
import { bookStatements } from '../../../../src/commerce/bank-transfers/book';
import { createOwnBank } from '../../../../src/commerce/bank-transfers/connector';
import { Proposals } from '../../../../src/commerce/bank-transfers/proposals';
import type { BankTransferRequestRow } from '../../../../src/commerce/bank-transfers/request';
import { sendReturns } from '../../../../src/commerce/bank-transfers/send-returns';
import { settleTransfers } from '../../../../src/commerce/bank-transfers/settle';
import type { Connector, Connectors, OutgoingTransferRequest } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import { formatAmount } from '../../../../src/domain/money';
import type { PayoutInquiry, SendPayoutAnswer } from '../../../../src/domain/processor-answers';
import { reportEntry } from '../../../../src/edge/callbacks/statement-reports';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Vault } from '../../../../src/foundation/vault/vault';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import type { Finding } from '../../../../src/money/books-check/check';
import { Ledger } from '../../../../src/money/ledger/ledger';
import * as bookings from '../../../../src/money/payments/bookings';
import { applyChange } from '../../../../src/money/payments/transition';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { claimed } from '../../money/payments/captured';

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const NEXT_KEYS = `k2:${randomBytes(32).toString('base64')},${KEYS}`;
/** Both keys, the older one in use. */
const BOTH_KEYS = NEXT_KEYS.split(',').reverse().join(',');
const TIMERS = { inquiryFirstMs: 1, inquiryMaxMs: 1, processorInFlightMs: 5_000, reviewAfterMs: 3_600_000 };
export const ADMIN = { id: 'an admin', source: '127.0.0.1', requestId: 'req_1' };
export const ANOTHER = { ...ADMIN, id: 'another admin' };
export const PAYER_IBAN = 'FR1420041010050500013M02606';

/** A line as a test says it. */
export interface Line {
  amount: string;
  reference?: string;
  text?: string;
  payer?: string;
  iban?: string | null;
  bank?: string | null;
  debit?: boolean;
  reversal?: boolean;
}

/** A tenant with an account of its own on the real database, before a processor that answers as each test says. */
export class World {
  readonly ledger = new Ledger();
  readonly vault = new Vault({ keys: BOTH_KEYS, hmacKey: randomBytes(32).toString('base64'), cvvTtlMs: 1_000 });
  readonly sent: OutgoingTransferRequest[] = [];
  inquiry: (reference: string) => PayoutInquiry = () => ({ kind: 'not_found' });
  sending: (request: OutgoingTransferRequest) => SendPayoutAnswer = ({ money }) => ({
    kind: 'settled',
    processorReference: 'ts_1',
    money,
  });
  readonly statements: BankStatements;
  readonly accounts: BankAccounts;
  readonly bank: Connector;
  readonly proposals: Proposals;
  /** What the account of the tests holds by its statements, in minor units. */
  private balance = 10_000n;
  private accountNumber = 0;

  private constructor(
    private readonly place: Awaited<ReturnType<typeof createTestDatabase>>,
    readonly database: Database,
    readonly tenant: SeededTenant & { other: SeededTenant },
  ) {
    this.statements = new BankStatements({ database, vault: this.vault });
    this.accounts = new BankAccounts(database);
    this.bank = createOwnBank({ ...this.counting, database, ttlMs: 86_400_000 });
    this.proposals = new Proposals({ ...this.counting, database, ledger: this.ledger }, 100_000n);
  }

  static async open(name: string): Promise<World> {
    const place = await createTestDatabase(name);
    const database = openDatabase(place.logins, 8, `test-${name}`);
    await writeCatalogue(database.system);
    return new World(place, database, await seedSandbox(database.system, new CallbackSecrets(KEYS)));
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.place.drop();
  }

  vaultAfterRotation(): Vault {
    return new Vault({ keys: NEXT_KEYS, hmacKey: randomBytes(32).toString('base64'), cvvTtlMs: 1_000 });
  }

  private get counting() {
    return { vault: this.vault, report: reportEntry, returnsThrough: () => 'b' as const };
  }

  private get connectors(): Connectors {
    const payouts = {
      send: async (request: OutgoingTransferRequest) => {
        this.sent.push(request);
        return this.sending(request);
      },
      inquire: async (reference: string) => this.inquiry(reference),
    };
    return { find: () => ({ payouts }) } as unknown as Connectors;
  }

  /** Another account of the tenant, with 100.00 EUR on it, so that each test has its own. */
  async account(): Promise<{ id: string; iban: string }> {
    this.balance = 10_000n;
    this.accountNumber += 1;
    const iban = `DE${String(this.accountNumber).padStart(20, '0')}`;
    const order = { iban, holder: 'A Shop', bic: 'COBADEFF', currency: 'EUR', status: 'active' as const };
    return this.accounts.put(this.tenant.tenantId, order, ADMIN);
  }

  /** A payment that waits for its transfer, as its flow leaves it. */
  async request(amountMinor = 1_000n, payerName = 'A Buyer'): Promise<BankTransferRequestRow> {
    const { tenantId, organizationId, terminalId } = this.tenant;
    const id = newId('payment');
    const instrument = { kind: 'bank_transfer', payerName };
    await this.database.tenant(tenantId, async (trx) => {
      await trx('payments').insert({
        id,
        tenant_id: tenantId,
        organization_id: organizationId,
        terminal_id: terminalId,
        merchant_transaction_id: randomUUID(),
        method_id: 61,
        kind: 'bank_transfer',
        brand: 'BANK_TRANSFER',
        processor: 'bank',
        currency: 'EUR',
        amount_minor: amountMinor,
        capture_mode: 'automatic',
        status: 'initiated',
        result_code: 100,
        status_detail: '',
        request: JSON.stringify({ instrument }),
      });
      await claimed(trx, { id, tenant_id: tenantId });
    });
    const answer = await this.bank.authorize({
      idempotencyKey: id,
      reference: id,
      money: { amountMinor, currency: 'EUR' },
      capture: true,
      instrument: { kind: 'bank_transfer' },
      threeDS: 'auto',
    });
    expect(answer.kind).toBe('payer_action');
    return this.requestOf(id);
  }

  requestOf(paymentId: string): Promise<BankTransferRequestRow> {
    return this.database.system('bank_transfer_requests').where({ payment_id: paymentId }).first();
  }

  /** Books what the bank says of a payment, as its flow does: the capture of it. */
  async capture(paymentId: string): Promise<void> {
    const answer = await this.bank.inquirePayment(paymentId);
    if (answer.kind !== 'captured') throw new Error(`${paymentId} is ${answer.kind}`);
    const { amountMinor } = answer.money;
    await this.database.tenant(this.tenant.tenantId, async (trx) => {
      const payment = await trx('payments').where({ id: paymentId }).forUpdate().first();
      await applyChange(trx, this.ledger, payment, {
        to: 'captured',
        resultCode: 0,
        detail: 'captured',
        cause: 'inquiry',
        columns: { authorized_minor: amountMinor, captured_minor: amountMinor },
        movements: bookings.capture(payment, amountMinor),
      });
    });
  }

  /** A camt.053 with these lines, that goes on where the one before ended. */
  camt(iban: string, lines: readonly Line[], { form = 'camt.053' }: { form?: 'camt.053' | 'camt.054' } = {}): string {
    const minor = (text: string) => BigInt(text.replace('.', ''));
    const opening = this.balance;
    const sum = lines.reduce((total, { amount, debit }) => total + (debit ? -minor(amount) : minor(amount)), 0n);
    const closing = opening + sum;
    if (form === 'camt.053') this.balance = closing;
    const [document, one] = form === 'camt.053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'];
    const balances = form === 'camt.053' ? balance('OPBD', opening) + balance('CLBD', closing) : '';
    return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${form}.001.08"><${document}><GrpHdr><MsgId>${randomUUID()}</MsgId></GrpHdr>
      <${one}><Id>${randomUUID()}</Id><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>${balances}
      ${lines.map(entry).join('')}</${one}></${document}></Document>`;
  }

  upload(content: string | AsyncIterable<Buffer>, accountId?: string): Promise<Uploaded> {
    const bytes = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content;
    return this.statements.upload(this.tenant.tenantId, bytes, ADMIN, accountId ? { accountId } : {});
  }

  /** Uploads and books. Answers how many of the lines came to what. */
  async hear(content: string, accountId?: string): Promise<Record<string, number>> {
    const { statements } = await this.upload(content, accountId);
    await this.book();
    return (await this.statements.find(this.tenant.tenantId, statements[0]!.id)).outcomes;
  }

  async book(): Promise<void> {
    const deps = { ...this.counting, database: this.database, ledger: this.ledger };
    while ((await bookStatements(deps)) > 0);
  }

  bookOnce(): Promise<number> {
    return bookStatements({ ...this.counting, database: this.database, ledger: this.ledger });
  }

  sendReturns(): Promise<number> {
    const { database, ledger, vault, connectors } = this;
    return sendReturns({ ...this.counting, database, ledger, vault, connectors, timers: TIMERS }, 50);
  }

  settle(): Promise<number> {
    return settleTransfers({ database: this.database, ledger: this.ledger }, 50);
  }

  async findings(): Promise<Finding[]> {
    return (await auditBooks(this.database.ops, BANK_CHECKS)).findings;
  }
}

function balance(code: string, minor: bigint): string {
  const direction = minor < 0n ? 'DBIT' : 'CRDT';
  const amount = formatAmount(minor < 0n ? -minor : minor, 'EUR');
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt>
    <CdtDbtInd>${direction}</CdtDbtInd><Dt><Dt>2026-11-20</Dt></Dt></Bal>`;
}

/** `bank`: the bank's reference; null: none. */
export function entry({
  amount,
  reference,
  text = '',
  payer = 'A Payer',
  iban = PAYER_IBAN,
  bank = randomUUID().slice(0, 16),
  debit,
  reversal,
}: Line): string {
  return `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${debit ? 'DBIT' : 'CRDT'}</CdtDbtInd>${reversal ? '<RvslInd>true</RvslInd>' : ''}
    <Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt>${bank ? `<AcctSvcrRef>${bank}</AcctSvcrRef>` : ''}
    <NtryDtls><TxDtls><RltdPties><Dbtr><Pty><Nm>${payer}</Nm></Pty></Dbtr>${iban ? `<DbtrAcct><Id><IBAN>${iban}</IBAN></Id></DbtrAcct>` : ''}</RltdPties>
    <RmtInf>${text ? `<Ustrd>${text}</Ustrd>` : ''}${reference ? `<Strd><CdtrRefInf><Ref>${reference}</Ref></CdtrRefInf></Strd>` : ''}</RmtInf>
    </TxDtls></NtryDtls></Ntry>`;
}
