import type { Knex } from 'knex';
import QRCode from 'qrcode';
import { DomainError, found } from '../../domain/errors';
import { escaped } from '../../domain/html';
import { formatAmount } from '../../domain/money';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Keys } from '../../foundation/config/key-source';
import type { Channel, Message, Messenger } from '../../foundation/messages/messenger';
import { Keyring } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';
import type { PaymentLinkRow } from './payment-link';

/** One row of `payment_link_shares`: to whom a link went, and what became of it. */
export interface ShareRow {
  id: string;
  tenant_id: string;
  link_id: string;
  channel: Channel | 'external';
  /** Shortened for e-mail and SMS; the name of the channel for an external one. */
  recipient: string;
  recipient_sealed: Buffer | null;
  message_id: string | null;
  sends: number;
  /** `recorded`: it went by a channel that is not ours. */
  delivery: 'queued' | 'delivered' | 'refused' | 'expired' | 'recorded';
  shared_by: string;
  created_at: Date;
  updated_at: Date;
}

export interface ShareOrder {
  id: string;
  channel: ShareRow['channel'];
  /** An e-mail address, a telephone number in E.164, or the name of an external channel. */
  to: string;
  /** The seller's own words. */
  note?: string;
}

/** Nobody is written to more often by one share. */
const MOST_SENDS = 5;

/** Sends links to buyers, and keeps a record of each. */
export class LinkShares {
  private readonly keys: Keyring;

  /** `vaultKeys`: VAULT_KEYS. */
  constructor(
    private readonly messenger: Messenger,
    vaultKeys: Keys,
  ) {
    this.keys = new Keyring(vaultKeys, 'payment-link-recipient');
  }

  /** Within a transaction of the tenant, with the link locked. Throws `invalid_state` when nobody can pay by it. */
  async share(
    trx: Knex.Transaction,
    link: PaymentLinkRow,
    url: string,
    { id, channel, to, note }: ShareOrder,
    by: Actor,
  ): Promise<ShareRow> {
    requireActive(link);
    const isOurs = channel !== 'external';
    const [share]: ShareRow[] = await trx('payment_link_shares')
      .insert({
        id,
        tenant_id: link.tenant_id,
        link_id: link.id,
        channel,
        recipient: isOurs ? shortened(channel, to) : to,
        recipient_sealed: isOurs ? this.keys.seal(Buffer.from(JSON.stringify({ to, note })), id) : null,
        message_id: isOurs ? await this.messenger.send(trx, await messageOf(link, url, channel, { to, note })) : null,
        delivery: isOurs ? 'queued' : 'recorded',
        shared_by: by.id,
      })
      .returning('*');
    await noteDone(trx, link.tenant_id, by, 'payment_link.share', link.id, { shareId: id, channel });
    return share!;
  }

  /** Sends it once more to the same person. Throws `not_found`, `invalid_state`. */
  async resend(
    trx: Knex.Transaction,
    link: PaymentLinkRow,
    url: string,
    shareId: string,
    by: Actor,
  ): Promise<ShareRow> {
    requireActive(link);
    const share = found<ShareRow>(
      await trx('payment_link_shares').where({ id: shareId, link_id: link.id }).forUpdate().first(),
      'share',
    );
    if (share.channel === 'external' || !share.recipient_sealed)
      throw new DomainError('invalid_state', 'It went by a channel of your own: only you can send it again');
    if (share.sends >= MOST_SENDS)
      throw new DomainError('invalid_state', `It was sent ${share.sends} times already; share the link anew`);
    const sealed: Pick<ShareOrder, 'to' | 'note'> = JSON.parse(
      this.keys.open(share.recipient_sealed, shareId).toString(),
    );
    const [sent]: ShareRow[] = await trx('payment_link_shares')
      .where({ id: shareId })
      .update({
        message_id: await this.messenger.send(trx, await messageOf(link, url, share.channel, sealed)),
        delivery: 'queued',
        sends: share.sends + 1,
        updated_at: trx.raw('clock_timestamp()'),
      })
      .returning('*');
    await noteDone(trx, link.tenant_id, by, 'payment_link.share_again', link.id, { shareId });
    return sent!;
  }

  /** Seals up to `limit` addresses anew under the current key; answers how many. Runs as the system role. */
  reseal(system: Knex, limit?: number): Promise<number> {
    return reseal(system, this.keys, { table: 'payment_link_shares', column: 'recipient_sealed' }, limit);
  }
}

function requireActive({ status }: PaymentLinkRow): void {
  if (status !== 'active')
    throw new DomainError('invalid_state', `This payment link is ${status}: nobody can pay by it`);
}

/** Enough to recognize the recipient by: `a…@example.com`, `+49…4711`. */
function shortened(channel: Channel, to: string): string {
  if (channel === 'sms') return `${to.slice(0, 3)}…${to.slice(-4)}`;
  const at = to.lastIndexOf('@');
  return `${to.slice(0, 1)}…${to.slice(at)}`;
}

async function messageOf(
  link: PaymentLinkRow,
  url: string,
  channel: Channel,
  { to, note }: Pick<ShareOrder, 'to' | 'note'>,
): Promise<Message> {
  const words = note ? `${note}\n\n` : '';
  const amount = askedAmount(link);
  if (channel === 'sms')
    return { tenantId: link.tenant_id, channel, to, text: `${words}${link.title}, ${amount}: ${url}` };
  const until = `The link is good until ${link.expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  const png = await QRCode.toBuffer(url, { errorCorrectionLevel: 'M', margin: 2, width: 240 });
  return {
    tenantId: link.tenant_id,
    channel,
    to,
    subject: `${link.title}: ${amount}`,
    text: `${words}${link.title}, ${amount}\n\nTo pay, open\n\n${url}\n\n${until}`,
    html:
      `<p>${escaped(words.trim())}</p><p><strong>${escaped(link.title)}</strong>, ${escaped(amount)}</p>` +
      `<p><a href="${escaped(url)}">Pay</a></p><p><img src="cid:qr" width="240" height="240" ` +
      `alt="QR code of the address of the payment page"></p><p>${until}</p>`,
    pictures: [{ name: 'qr', content: png.toString('base64') }],
  };
}

/** What a buyer pays, in words: one amount, or a span. */
export function askedAmount({ currency, amount_min_minor, most_minor }: PaymentLinkRow): string {
  const most = `${formatAmount(most_minor, currency)} ${currency}`;
  return amount_min_minor === null || amount_min_minor === most_minor
    ? most
    : `${formatAmount(amount_min_minor, currency)} to ${most}`;
}
