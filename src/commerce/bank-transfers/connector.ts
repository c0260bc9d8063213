import type { Knex } from 'knex';
import { type Connector, OWN_BANK, ProcessorUnavailable } from '../../domain/connector';
import { printedReference } from '../../domain/creditor-reference';
import { epcCode } from '../../domain/epc-code';
import { formatAmount } from '../../domain/money';
import type {
  PayerAction,
  PaymentStanding,
  RefundStanding,
  TransferInquiry,
  TransferStanding,
} from '../../domain/processor-answers';
import type { Database } from '../../foundation/db/database';
import { giveBackAllowance } from '../../money/limits/allowance';
import type { PaymentRow } from '../../money/payments/payment';
import type { BankAccountRow } from '../bank-statements/account';
import { type BankEntryRow, type Counting, countEntry } from './entry';
import { type BankTransferRequestRow, createRequest, findRequest, lockRequest } from './request';
import { type BankReturnRow, orderReturn } from './return';

export interface OwnBankDependencies extends Counting {
  database: Database;
  /** PAYER_TRANSFER_TTL_MS: how long a payer has who was given no other time. */
  ttlMs: number;
}

/**
 * The tenants' own accounts as a processor: what payments, refunds and suspense ask a processor over the wire, this one answers
 * from what statements said. Nothing is on its way to it, so every answer is definite.
 */
export function createOwnBank(deps: OwnBankDependencies): Connector {
  const { system } = deps.database;
  const inquirePayment = async (paymentId: string) => {
    const request = await findRequest(system, paymentId);
    return request ? standingOf(system, request) : { kind: 'not_found' as const };
  };
  const inquireRefund = async (cause: string) => {
    const row = await findReturn(system, cause);
    return row ? refundStanding(row) : { kind: 'not_found' as const };
  };
  return {
    processor: OWN_BANK,
    name: "The tenant's own bank",
    capabilities: { kinds: ['bank_transfer'], manualCapture: false, partialRefund: true },
    receivers: [],
    authorize: async ({ reference: paymentId, instrument }) => {
      if (instrument.kind !== 'bank_transfer') return { kind: 'not_charged', detail: 'it takes bank transfers only' };
      const known = (await findRequest(system, paymentId)) ?? (await ask(deps, paymentId));
      if (!known) return { kind: 'not_charged', detail: 'the tenant has no account in this currency' };
      return standingOf(system, known);
    },
    // What is paid is captured already: how it stands is the answer.
    capture: async ({ reference }) => {
      const standing = await inquirePayment(reference);
      if (standing.kind === 'captured' || standing.kind === 'not_found') return standing;
      return { kind: 'refused', detail: 'the money has not come', standing };
    },
    void: async ({ reference }) => {
      const standing = await close(deps, reference);
      if (!standing) return { kind: 'not_found' };
      if (standing.kind === 'voided') return standing;
      return { kind: 'refused', detail: 'the money has come', standing };
    },
    refund: async ({ paymentReference: paymentId, refundReference: cause, money }) => {
      const came = await system('bank_entries')
        .where({ payment_id: paymentId })
        .whereIn('status', ['counted', 'late'])
        .first('id');
      if (!came) return { kind: 'refund_declined', detail: 'nothing has come for this payment' };
      const order = { kind: 'refund' as const, cause, paymentId, money };
      return refundStanding(await system.transaction((trx) => orderReturn(trx, deps, order)));
    },
    inquirePayment,
    inquireRefund,
    transfers: {
      inquire: (entryId) => inquireEntry(system, entryId),
      assign: async ({ transferId, paymentReference }) => {
        const standing = await assign(deps, transferId, paymentReference);
        if (standing.kind === 'not_found') return standing;
        if (standing.kind === 'assigned' && standing.paymentReference === paymentReference) return standing;
        return { kind: 'refused', detail: 'the payment takes no money, or the transfer has gone elsewhere', standing };
      },
      giveBack: async ({ transferId, returnReference }) => {
        const standing = await giveBack(deps, transferId, returnReference);
        if (standing.kind === 'held' || standing.kind === 'assigned')
          return { kind: 'refused', detail: 'the transfer counts towards a payment', standing };
        return standing;
      },
    },
    settlementBatches: async () => [],
    settlementReport: async () => {
      throw new ProcessorUnavailable('a bank of our own sends no settlement reports');
    },
  };
}

/** Writes down what a payment asks for that was sent here by a rule of routing. */
async function ask({ database, ttlMs }: OwnBankDependencies, paymentId: string) {
  const payment: PaymentRow = await database.system('payments').where({ id: paymentId }).first();
  const expiresAt = new Date(Date.now() + ttlMs);
  return database.tenant(payment.tenant_id, (trx) => createRequest(trx, payment, { expiresAt }));
}

async function standingOf(system: Knex, request: BankTransferRequestRow): Promise<PaymentStanding> {
  const { payment_id: paymentId, amount_minor: amountMinor, received_minor, currency, reference } = request;
  const of = (minor: bigint) => `${formatAmount(minor, currency)} ${currency}`;
  if (request.status === 'paid') {
    const excess = received_minor - amountMinor;
    return {
      kind: 'captured',
      processorReference: reference,
      money: { amountMinor, currency },
      ...(excess > 0n && { detail: `Captured; ${of(excess)} more arrived and goes back to the payer.` }),
    };
  }
  if (request.status === 'closed') {
    const lateMinor = await lateOf(system, paymentId);
    return lateMinor > 0n
      ? { kind: 'captured', processorReference: reference, money: { amountMinor: lateMinor, currency } }
      : { kind: 'voided', processorReference: reference };
  }
  const isPart = received_minor > 0n;
  return {
    kind: 'payer_action',
    processorReference: reference,
    action: await instructions(system, request),
    detail: isPart
      ? `${of(received_minor)} of ${of(amountMinor)} arrived; waiting for the rest.`
      : 'Waiting for the transfer of the payer.',
  };
}

/** What came after the payment had ended, in minor units. */
async function lateOf(system: Knex, paymentId: string): Promise<bigint> {
  const rows: Pick<BankEntryRow, 'amount_minor'>[] = await system('bank_entries')
    .where({ payment_id: paymentId, status: 'late' })
    .select('amount_minor');
  return rows.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
}

/** What the payer is shown: the account, the reference, the amount that is missing, and a code for a banking app. */
async function instructions(system: Knex, request: BankTransferRequestRow): Promise<PayerAction> {
  const account: BankAccountRow = await system('bank_accounts').where({ id: request.account_id }).first();
  const { name: seller } = await system('organizations').where({ id: request.organization_id }).first('name');
  const { reference, currency } = request;
  const money = { amountMinor: request.amount_minor - request.received_minor, currency };
  const { iban, bic, holder, bank_name: bankName } = account;
  const payload = epcCode({ name: holder, iban, bic: bic ?? undefined, money, reference });
  return {
    type: 'instructions',
    fields: {
      seller,
      accountHolder: holder,
      iban,
      ...(bic && { bic }),
      ...(bankName && { bankName }),
      reference,
      printedReference: printedReference(reference),
      amount: formatAmount(money.amountMinor, currency),
      currency,
      ...(payload && { payload }),
    },
    expiresAt: request.expires_at.toISOString(),
  };
}

/** Takes no more money; a part that came goes back. Undefined where nothing was asked for. */
async function close(deps: OwnBankDependencies, paymentId: string): Promise<PaymentStanding | undefined> {
  const { database } = deps;
  const closed = await database.system.transaction(async (trx) => {
    const request = await lockRequest(trx, paymentId);
    if (request?.status !== 'open') return request;
    await trx('bank_transfer_requests').where({ payment_id: paymentId }).update({ status: 'closed' });
    const parts: BankEntryRow[] = await trx('bank_entries').where({ payment_id: paymentId, status: 'counted' });
    for (const { id, amount_minor: amountMinor, currency } of parts)
      await orderReturn(trx, deps, {
        kind: 'part',
        cause: `${id}/part`,
        paymentId,
        entryId: id,
        money: { amountMinor, currency },
      });
    return { ...request, status: 'closed' as const };
  });
  if (!closed) return undefined;
  if (closed.status === 'closed')
    await database.tenant(closed.tenant_id, (trx) =>
      giveBackAllowance(trx, { tenantId: closed.tenant_id, cause: paymentId }),
    );
  return standingOf(database.system, closed);
}

/** The latest return that something asked for. */
function findReturn(system: Knex, cause: string): Promise<BankReturnRow | undefined> {
  return system('bank_returns').where({ cause }).orderBy('id', 'desc').first();
}

function refundStanding({
  id,
  status,
  status_detail: detail,
  amount_minor: amountMinor,
  currency,
}: BankReturnRow): RefundStanding {
  if (status === 'settled') return { kind: 'refunded', processorReference: id, money: { amountMinor, currency } };
  if (status === 'failed') return { kind: 'refund_declined', detail, processorReference: id };
  return { kind: 'pending', detail, processorReference: id };
}

async function inquireEntry(connection: Knex, entryId: string): Promise<TransferInquiry> {
  const entry: BankEntryRow | undefined = await connection('bank_entries').where({ id: entryId }).first();
  if (!entry || entry.status === 'other') return { kind: 'not_found' };
  const money = { amountMinor: entry.amount_minor, currency: entry.currency };
  if (entry.status !== 'suspended' && entry.status !== 'proposed')
    return { kind: 'assigned', money, paymentReference: entry.payment_id! };
  const back: BankReturnRow | undefined = await connection('bank_returns')
    .where({ entry_id: entryId, kind: 'unmatched' })
    .orderBy('id', 'desc')
    .first();
  return { kind: back ? OF_RETURN[back.status] : 'held', money };
}

const OF_RETURN: Record<BankReturnRow['status'], Exclude<TransferStanding['kind'], 'assigned'>> = {
  waiting: 'returning',
  ready: 'returning',
  sent: 'returning',
  settled: 'returned',
  failed: 'return_declined',
};

/** Counts a transfer out of suspense towards a payment that waits. Answers how the transfer stands then. */
function assign(deps: OwnBankDependencies, entryId: string, paymentId: string): Promise<Known> {
  return deps.database.system.transaction(async (trx) => {
    const entry: BankEntryRow | undefined = await trx('bank_entries').where({ id: entryId }).forUpdate().first();
    const standing = await inquireEntry(trx, entryId);
    const isFree = standing.kind === 'held' || standing.kind === 'return_declined';
    if (!entry || !isFree) return standing as Known;
    const request = await lockRequest(trx, paymentId);
    if (request?.status !== 'open' || request.currency !== entry.currency || request.tenant_id !== entry.tenant_id)
      return standing as Known;
    const line = await trx('bank_statement_lines').where({ id: entry.line_id }).first('text', 'payer_name');
    // Its report in the inbox goes to the payment once it has left suspense.
    await countEntry(trx, { ...deps, report: async () => ({ callbackId: '' }) }, entry, request, line);
    return inquireEntry(trx, entryId) as Promise<Known>;
  });
}

/** Nothing here is ever unknown: the database says it. */
type Known = Exclude<TransferInquiry, { kind: 'unknown' }>;

type GivenBack = Exclude<Known, { kind: 'held' | 'assigned' }> | Extract<Known, { kind: 'held' | 'assigned' }>;

function giveBack(deps: OwnBankDependencies, entryId: string, cause: string): Promise<GivenBack> {
  return deps.database.system.transaction(async (trx) => {
    const entry: BankEntryRow | undefined = await trx('bank_entries').where({ id: entryId }).forUpdate().first();
    if (entry?.status === 'suspended') {
      const money = { amountMinor: entry.amount_minor, currency: entry.currency };
      await orderReturn(trx, deps, { kind: 'unmatched', cause, entryId, money });
    }
    return inquireEntry(trx, entryId) as Promise<Known>;
  });
}
