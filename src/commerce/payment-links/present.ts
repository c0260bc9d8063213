import { formatAmount } from '../../domain/money';
import type { DecisionRow, DelegationRow, LinkLine, PaymentLinkRow } from './payment-link';
import type { LinkSettings } from './settings';
import type { ShareRow } from './share';

/** A payment link as the API shows it. `url`: where buyers pay. */
export function presentPaymentLink(link: PaymentLinkRow, url: string, decisions: DecisionRow[] = []) {
  const amount = (minor: bigint) => formatAmount(minor, link.currency);
  const given = <Value>(name: string, value: Value | null) => (value === null ? {} : { [name]: value });
  return {
    linkId: link.id,
    status: link.status,
    statusDetail: link.status_detail,
    url,
    purpose: link.purpose,
    ...given('customerId', link.customer_id),
    title: link.title,
    ...given('description', link.description),
    ...given('reference', link.reference),
    currency: link.currency,
    ...given('orderId', link.order_id),
    ...(link.lines && { lines: link.lines.map((line) => presentLine(line, amount)) }),
    ...(link.amount_min_minor !== null && {
      amount: { min: amount(link.amount_min_minor), max: amount(link.amount_max_minor!) },
    }),
    ...given('maxPayments', link.max_payments),
    ...given('kinds', link.kinds),
    customFields: link.custom_fields,
    ...given('notificationUrl', link.notification_url),
    terminalId: link.terminal_id,
    expiresAt: link.expires_at,
    approval: {
      needed: link.approvals_needed,
      ...given('expiresAt', link.request_expires_at),
      decisions: decisions.map(({ decided_by, decision, on_behalf_of, reason, at }) => ({
        by: decided_by,
        decision,
        ...given('onBehalfOf', on_behalf_of),
        ...given('reason', reason),
        at,
      })),
    },
    createdBy: link.created_by,
    createdAt: link.created_at,
    updatedAt: link.updated_at,
  };
}

function presentLine(line: LinkLine, amount: (minor: bigint) => string) {
  if ('itemId' in line) return line;
  const { description, unitMinor, quantity } = line;
  return { description, amount: amount(BigInt(unitMinor)), quantity };
}

export function presentShare(share: ShareRow) {
  return {
    shareId: share.id,
    channel: share.channel,
    recipient: share.recipient,
    delivery: share.delivery,
    sends: share.sends,
    sharedBy: share.shared_by,
    createdAt: share.created_at,
    updatedAt: share.updated_at,
  };
}

export function presentLinkSettings(settings: LinkSettings) {
  return {
    approvalRequired: settings.approvalRequired,
    fourEyes: Object.entries(settings.fourEyes).map(([currency, minor]) => ({
      currency,
      amount: formatAmount(minor, currency),
    })),
    requestTtlHours: settings.requestTtlMs / HOUR,
    remindAfterHours: settings.remindAfterMs / HOUR,
  };
}

const HOUR = 3_600_000;

export function presentDelegation({ id, from_id, to_id, currency, most_minor, ends_at, created_at }: DelegationRow) {
  return {
    delegationId: id,
    from: from_id,
    to: to_id,
    currency,
    most: formatAmount(most_minor, currency),
    endsAt: ends_at,
    createdAt: created_at,
  };
}
