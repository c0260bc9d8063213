import { encodeMerchantCode } from '../../../domain/emv-qr';
import { formatAmount, type Money } from '../../../domain/money';
import type { PayerAction } from '../../../domain/processor-answers';
import type { NextStep } from './wire';

/**
 * What the payer has to do about an order of processor F. `fields.pageUrl`, or `url`, is the page on which the sandbox's
 * payer does it. Undefined when the processor does not say enough.
 */
export function payerAction(step: NextStep, money: Money): PayerAction | undefined {
  const { page, deadline: expiresAt } = step;
  const amount = { amount: formatAmount(money.amountMinor, money.currency), currency: money.currency };
  switch (step.method) {
    case 'Redirect':
      return { type: 'redirect', method: 'GET', url: page, expiresAt };
    case 'Voucher':
      if (!step.voucherNumber) return undefined;
      return { type: 'instructions', url: page, fields: { voucherNumber: step.voucherNumber, ...amount }, expiresAt };
    case 'UpiCollect':
      if (!step.vpa) return undefined;
      return { type: 'instructions', url: page, fields: { vpa: step.vpa, ...amount }, expiresAt };
    case 'UpiIntent':
      if (!step.upiUri) return undefined;
      return {
        type: 'redirect',
        method: 'GET',
        url: step.upiUri,
        fields: { ...upiFields(step.upiUri), ...amount, pageUrl: page },
        expiresAt,
      };
    case 'UpiCode':
      if (!step.upiUri) return undefined;
      return {
        type: 'qr',
        url: page,
        fields: { payload: step.upiUri, ...upiFields(step.upiUri), ...amount },
        expiresAt,
      };
    case 'EmvCode':
      return emvAction(step, money, amount);
    default:
      return undefined;
  }
}

const WAITING: ReadonlyMap<string, string> = new Map([
  ['Redirect', 'Waiting for the payer to pay on the page of the method.'],
  ['Voucher', 'Waiting for the payer to pay the voucher.'],
  ['UpiCollect', 'Waiting for the payer to approve the request in their UPI app.'],
  ['UpiIntent', 'Waiting for the payer to pay in their UPI app.'],
  ['UpiCode', 'Waiting for the payer to scan the code.'],
  ['EmvCode', 'Waiting for the payer to scan the code.'],
]);

/** A sentence on what is waited for. */
export function waitingFor({ method }: NextStep): string {
  return WAITING.get(method) ?? 'Waiting for the payer.';
}

/** The members of a UPI link (NPCI, UPI Linking Specifications 1.6) that an app shows. */
function upiFields(uri: string): Record<string, string> {
  const parameters = new URLSearchParams(uri.slice(uri.indexOf('?') + 1));
  const named = { payeeVpa: parameters.get('pa'), payeeName: parameters.get('pn'), orderNumber: parameters.get('tr') };
  return Object.fromEntries(Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== null));
}

function emvAction({ merchant, page, deadline }: NextStep, money: Money, amount: object): PayerAction | undefined {
  if (!merchant) return undefined;
  try {
    const payload = encodeMerchantCode({
      account: { guid: merchant.guid, merchantId: merchant.merchantId },
      categoryCode: merchant.categoryCode,
      merchantName: merchant.name,
      merchantCity: merchant.city,
      countryCode: merchant.country,
      money,
      reference: merchant.orderNumber,
    });
    return { type: 'qr', url: page, fields: { payload, ...amount }, expiresAt: deadline };
  } catch (error) {
    // What does not fit into a code cannot be shown.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
