import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { escaped } from '../../domain/html';
import { localAmount, localTime } from '../../domain/localized';
import { hasTakenMoney } from '../../domain/states/payment';
import type { Message, Messenger } from '../../foundation/messages/messenger';
import type { PaymentRow } from '../../money/payments/payment';
import { linesOf } from '../orders/order';
import type { PaymentLinkRow } from './payment-link';

/** The first goes by itself; nobody is written to more often about one payment. */
const MOST_RECEIPTS = 4;

/** Sends buyers the receipt of a payment by a link, to the address that they gave when they paid. */
export class Receipts {
  constructor(private readonly messenger: Messenger) {}

  /** The first one, once, however often it is called. Without a link or an address there is none. */
  async sendFirst(trx: Knex.Transaction, paymentId: string): Promise<void> {
    const payment: PaymentRow = await trx('payments').where({ id: paymentId }).first();
    if (payment.link_id && addressOf(payment) && (await sentOf(trx, payment)) === 0) await this.write(trx, payment, 1);
  }

  /** One more, because the buyer asks. The payment is locked. Throws `invalid_state`. */
  async sendAgain(trx: Knex.Transaction, payment: PaymentRow): Promise<void> {
    const sent = await sentOf(trx, payment);
    if (!canHaveReceipt(payment)) throw new DomainError('invalid_state', 'There is no receipt to send');
    if (sent >= MOST_RECEIPTS) throw new DomainError('invalid_state', `The receipt was sent ${sent} times already`);
    await this.write(trx, payment, sent + 1);
  }

  private async write(trx: Knex.Transaction, payment: PaymentRow, number: number): Promise<void> {
    const message_id = await this.messenger.send(trx, await messageOf(trx, payment));
    const row = { payment_id: payment.id, tenant_id: payment.tenant_id, number, message_id };
    await trx('payment_receipts').insert(row);
  }
}

const addressOf = ({ request }: PaymentRow) => request.customer?.email;

/** The buyer has paid, and has said where to write to. */
export const canHaveReceipt = (payment: PaymentRow) =>
  addressOf(payment) !== undefined && hasTakenMoney(payment.status) && payment.status !== 'charged_back';

async function sentOf(trx: Knex.Transaction, { id }: PaymentRow): Promise<number> {
  const [row]: { last: number | null }[] = await trx('payment_receipts')
    .where({ payment_id: id })
    .max('number as last');
  return row?.last ?? 0;
}

interface Words {
  subject: (seller: string) => string;
  paid: string;
  paidOn: string;
  paidWith: string;
  refunded: string;
  number: string;
}

const WORDS: Record<string, Words> = {
  en: {
    subject: (seller) => `Your receipt from ${seller}`,
    paid: 'Paid',
    paidOn: 'Paid on',
    paidWith: 'Card',
    refunded: 'Refunded',
    number: 'Payment number',
  },
  pt: {
    subject: (seller) => `O seu recibo de ${seller}`,
    paid: 'Pago',
    paidOn: 'Pago em',
    paidWith: 'Cartão',
    refunded: 'Reembolsado',
    number: 'Número do pagamento',
  },
};

async function messageOf(trx: Knex.Transaction, payment: PaymentRow): Promise<Message> {
  const { tenant_id, link_id, currency, request } = payment;
  const { locale = 'en' } = request;
  const words = WORDS[locale.slice(0, 2)] ?? WORDS.en!;
  const amount = (minor: bigint) => localAmount(locale, minor, currency);
  // Whose link it is: what is for a wallet, the tenant has taken.
  const { name: seller }: { name: string } = await trx('payment_links as l')
    .join('organizations as o', 'o.id', 'l.organization_id')
    .where({ 'l.id': link_id })
    .first('o.name');
  const facts: [name: string, value: string][] = [
    [words.paid, amount(payment.captured_minor)],
    [words.paidOn, localTime(locale, payment.updated_at)],
    [words.number, payment.id],
  ];
  if (payment.card_last4) facts.push([words.paidWith, `${payment.brand} …${payment.card_last4}`]);
  if (payment.refunded_minor > 0n) facts.push([words.refunded, amount(payment.refunded_minor)]);
  const rows = [...(await boughtBy(trx, payment, amount)), ...facts];
  return {
    tenantId: tenant_id,
    channel: 'email',
    to: addressOf(payment)!,
    subject: words.subject(seller),
    text: `${seller}\n\n${rows.map(([name, value]) => `${name}: ${value}`).join('\n')}`,
    html:
      `<p><strong>${escaped(seller)}</strong></p><table>` +
      rows.map(([name, value]) => `<tr><td>${escaped(name)}</td><td>${escaped(value)}</td></tr>`).join('') +
      '</table>',
  };
}

/** What was bought, a line each: that of the order, else what the link says. */
async function boughtBy(
  trx: Knex.Transaction,
  { order_id, link_id, captured_minor }: PaymentRow,
  amount: (minor: bigint) => string,
): Promise<[name: string, value: string][]> {
  if (order_id) {
    const lines = await linesOf(trx, [order_id]);
    return lines.map(({ quantity, description, unit_minor }) => [
      `${quantity} × ${description}`,
      amount(unit_minor * BigInt(quantity)),
    ]);
  }
  const link: PaymentLinkRow = await trx('payment_links').where({ id: link_id }).first();
  return [[link.title, amount(captured_minor)]];
}
