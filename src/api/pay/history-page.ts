import type { BuyerAccounts, PastPayment } from '../../commerce/payment-links/buyer-accounts';
import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import type { Reader } from './reader';
import { STATE, type View } from './view';

const PAGE = 20;

/** What a customer who has signed in has paid to the seller, page by page. `cursor`: the payment that comes before the page. */
export async function historyView(
  accounts: BuyerAccounts,
  { reader, link, base }: { reader: Reader; link: PaymentLinkRow; base: string },
  customerId: string,
  cursor: string | undefined,
): Promise<View> {
  const { words } = reader;
  const found = await accounts.payments(link, customerId, { limit: PAGE, cursor });
  const shown = found.slice(0, PAGE);
  const older = `${base}/history?after=${shown.at(-1)?.id}&lang=${words.language}`;
  return {
    title: words.history,
    text: shown.length === 0 ? words.noHistory : undefined,
    past: shown.map((payment) => pastView(reader, payment, link, base)),
    links: [
      ...(found.length > PAGE ? [{ href: older, text: words.older }] : []),
      { href: `${base}?lang=${words.language}`, text: words.backToPayment },
    ],
  };
}

function pastView(reader: Reader, payment: PastPayment, link: PaymentLinkRow, base: string) {
  const { words } = reader;
  const { id, title, order_id: orderId, order_status: orderStatus } = payment;
  return {
    title: title ?? words.paymentNumber,
    // The page of a payment stands below its own link alone.
    href: payment.link_id === link.id ? `${base}/${id}?lang=${words.language}` : undefined,
    facts: [
      { name: words.amount, value: reader.amount(payment.captured_minor || payment.amount_minor, payment.currency) },
      { name: words.status, value: words.states[STATE[payment.status]].title },
      { name: words.date, value: reader.time(payment.created_at) },
      { name: words.paymentNumber, value: id },
      ...(orderId && orderStatus
        ? [
            { name: words.orderNumber, value: orderId },
            { name: words.orderStatus, value: words.orders[orderStatus] },
          ]
        : []),
    ],
  };
}
