import Joi from 'joi';
import { DomainError } from '../../domain/errors';
import { formatAmount, parseAmount } from '../../domain/money';
import { OPERATIONS, type Operation } from '../../domain/operation';
import type { Database } from '../../foundation/db/database';
import { type Fee, PAYERS, type Payer } from '../../money/fees/fee';
import {
  addFeeVersion,
  applyFee,
  chargeableFee,
  type FeeFilter,
  type FeeVersionRow,
  feeVersions,
} from '../../money/fees/fees';
import { actorOf } from '../server/actor';
import { amount, currency, instant, listOf, numericCursor, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';

interface FeeBody {
  operation: Operation;
  currency: string;
  fixed?: string;
  basisPoints?: number;
  minimum?: string;
  maximum?: string;
  payer?: Payer;
  effectiveFrom?: string;
}

type ProposedFee = Omit<FeeBody, 'operation' | 'currency' | 'effectiveFrom'>;

interface QuoteBody {
  operation: Operation;
  currency: string;
  amount: string;
  /** Instead of the fee in effect. */
  proposed?: ProposedFee;
}

export const operation = () => Joi.string().valid(...OPERATIONS);

const payer = () =>
  Joi.string()
    .valid(...PAYERS)
    .description(
      'Who pays the fee. The sender pays it on top of the amount; the recipient gets the amount minus the fee. In a top-up, ' +
        'sender and recipient are the same customer, who gets the amount minus the fee',
    );

const feeMembers = {
  operation: operation().required(),
  currency: currency().required(),
  fixed: amount({ zero: true }),
  basisPoints: Joi.number().integer().min(0).max(10_000).description('Share of the amount, in hundredths of a percent'),
  minimum: amount({ zero: true }),
  maximum: amount({ zero: true }),
  payer: payer(),
  effectiveFrom: instant(),
};

const payerByOperation = () => payer().description('Default: the sender for `p2p`, the recipient for everything else');

const feeBody = Joi.object<FeeBody>({
  ...feeMembers,
  payer: payerByOperation(),
  effectiveFrom: instant().description('Default: now. A new version replaces an earlier one with the same time'),
});

const feeSchema = Joi.object({
  ...feeMembers,
  feeId: Joi.string().required(),
  fixed: feeMembers.fixed.required(),
  basisPoints: feeMembers.basisPoints.required(),
  minimum: feeMembers.minimum.required(),
  payer: payer().required(),
  effectiveFrom: instant().required(),
  inEffect: Joi.boolean().required().description('Whether we charge this version now'),
  createdAt: instant().required(),
});

const quoteBody = Joi.object<QuoteBody>({
  operation: operation().required(),
  currency: currency().required(),
  amount: amount().required(),
  proposed: Joi.object<ProposedFee>({
    fixed: amount({ zero: true, above: 1 }),
    basisPoints: feeMembers.basisPoints,
    minimum: amount({ zero: true, above: 1 }),
    maximum: amount({ zero: true, above: 1 }),
    payer: payerByOperation(),
  }).description('What it would cost by this fee, instead of by the one in effect'),
});

const quoteSchema = Joi.object({
  operation: operation().required(),
  currency: currency().required(),
  amount: amount().required(),
  fee: amount({ zero: true }).required(),
  payer: payer().required(),
  total: amount().required().description('Amount that leaves the sender'),
  net: amount().required().description('Amount that reaches the recipient or the wallet'),
});

/** The fees of operations, and a quote for a single one. */
export function feeRoutes({ database }: { database: Database }): Route[] {
  const common = { area: 'Fees and limits', identity: 'tenantId' as const, path: '/wallet/1.0.0/fees' };
  return [
    route<unknown, FeeFilter>({
      ...common,
      method: 'GET',
      summary: 'All versions of all fees, newest first',
      roles: ['tenant_admin', 'ops'],
      query: Joi.object<FeeFilter>({ ...paging(), operation: operation(), currency: currency() }),
      responses: { 200: { description: 'A page of fee versions', schema: listOf(feeSchema) } },
      handler: async (ctx) => {
        const { cursor, ...filter } = ctx.query;
        const rows = await database.tenant(ctx.tenantId, (trx) =>
          feeVersions(trx, { ...filter, ...(cursor && { cursor: numericCursor(cursor) }) }),
        );
        const page = pageOf(rows, filter.limit, ({ id }) => `${id}`);
        return { status: 200, body: { ...page, data: page.data.map((row) => presentVersion(row, row.in_effect)) } };
      },
    }),
    route<FeeBody>({
      ...common,
      method: 'PUT',
      summary: 'Set a fee from a given time on',
      description:
        'Adds a version of the fee. Earlier versions and the fees already charged stay. The fee is `fixed` plus ' +
        '`basisPoints` of the amount. We round that share to whole minor units, half to even, then raise the fee to ' +
        '`minimum` or cut it to `maximum`. To end a fee, set a fee of zero. We charge nothing if no fee was ever ' +
        'set.',
      roles: ['tenant_admin'],
      body: feeBody,
      responses: { 200: { description: 'The version', schema: feeSchema } },
      handler: async (ctx) => {
        const fee = readFee(ctx.body);
        const [version, inEffect] = await database.tenant(ctx.tenantId, async (trx) => {
          const row = await addFeeVersion(trx, ctx.tenantId, actorOf(ctx), fee);
          const [newest] = await feeVersions(trx, { limit: 1, operation: row.operation, currency: row.currency });
          return [row, newest!.in_effect] as const;
        });
        return { status: 200, body: presentVersion(version, inEffect) };
      },
    }),
    route<QuoteBody>({
      ...common,
      path: '/wallet/1.0.0/quote',
      method: 'POST',
      summary: 'Quote the cost of an operation',
      description:
        'The quote uses the same calculation as the charge. It has the fee, the amount that leaves the sender and ' +
        'the amount that arrives. No money is moved or reserved. The answer is 422 `fee_exceeds_amount` if nothing ' +
        'would arrive. With `proposed` it says what a fee would charge before somebody sets it.',
      roles: ['tenant_admin', 'customer', 'merchant', 'ops'],
      body: quoteBody,
      responses: { 200: { description: 'The quote', schema: quoteSchema } },
      handler: async (ctx) => {
        const { amount: text, proposed, ...asked } = ctx.body;
        const amountMinor = parseAmount(text, asked.currency);
        const fee = proposed
          ? chargeableFee(asked.operation, readFee({ ...asked, ...proposed }, 'proposed.'), amountMinor)
          : await database.tenant(ctx.tenantId, (trx) =>
              applyFee(trx, { tenantId: ctx.tenantId, ...asked, amountMinor }),
            );
        return { status: 200, body: { ...asked, amount: text, ...presentFee(fee, asked.currency) } };
      },
    }),
  ];
}

/** A fee as a quote shows it. */
export function presentFee({ feeMinor, payer: paidBy, totalMinor, netMinor }: Fee, code: string) {
  return {
    fee: formatAmount(feeMinor, code),
    payer: paidBy,
    total: formatAmount(totalMinor, code),
    net: formatAmount(netMinor, code),
  };
}

/** `prefix`: of the fields that an error names. */
function readFee(body: FeeBody, prefix = '') {
  const { operation: what, currency: code, fixed, basisPoints = 0, minimum, maximum, effectiveFrom } = body;
  const minor = (text: string | undefined) => (text === undefined ? undefined : parseAmount(text, code));
  const [minimumMinor = 0n, maximumMinor] = [minor(minimum), minor(maximum)];
  if (maximumMinor !== undefined && maximumMinor < minimumMinor) {
    const [field, message] = [`${prefix}maximum`, `must not be less than \`${prefix}minimum\``];
    throw new DomainError('invalid_request', `${field} ${message}`, { details: [{ field, message }] });
  }
  return {
    operation: what,
    currency: code,
    fixedMinor: minor(fixed) ?? 0n,
    basisPoints,
    minimumMinor,
    ...(maximumMinor !== undefined && { maximumMinor }),
    payer: body.payer ?? (what === 'p2p' ? 'sender' : 'recipient'),
    ...(effectiveFrom !== undefined && { effectiveFrom: new Date(effectiveFrom) }),
  } as const;
}

function presentVersion(row: FeeVersionRow, inEffect: boolean) {
  const shown = (amountMinor: bigint) => formatAmount(amountMinor, row.currency);
  return {
    feeId: `${row.id}`,
    operation: row.operation,
    currency: row.currency,
    fixed: shown(row.fixed_minor),
    basisPoints: row.basis_points,
    minimum: shown(row.minimum_minor),
    ...(row.maximum_minor !== null && { maximum: shown(row.maximum_minor) }),
    payer: row.payer,
    effectiveFrom: row.effective_from,
    inEffect,
    createdAt: row.created_at,
  };
}
