import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { PaymentKind } from '../../domain/connector';
import { found } from '../../domain/errors';
import type { PaymentLinkStatus } from '../../domain/states/payment-link';
import { Mac } from '../../foundation/vault/keyring';

/** One thing that a buyer pays for: an item of the inventory, or words and an amount. Amounts are in minor units. */
export type LinkLine =
  | { itemId: string; quantity: number }
  | { description: string; unitMinor: string; quantity: number };

/** Something that the seller wants to know of the buyer. */
export interface CustomField {
  name: string;
  label: string;
  required: boolean;
}

/** One row of `payment_links`. Amounts are minor units of `currency`. */
export interface PaymentLinkRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  terminal_id: string;
  status: PaymentLinkStatus;
  /** A sentence for people. */
  status_detail: string;
  token_digest: Buffer;
  purpose: 'payment' | 'topup';
  /** Whose wallet a top-up is for. */
  customer_id: string | null;
  title: string;
  description: string | null;
  /** The seller's own. */
  reference: string | null;
  currency: string;
  order_id: string | null;
  lines: LinkLine[] | null;
  amount_min_minor: bigint | null;
  amount_max_minor: bigint | null;
  /** The most that one buyer may pay. */
  most_minor: bigint;
  /** Null: as many as come. */
  max_payments: number | null;
  /** Null: all that serve the amount. */
  kinds: PaymentKind[] | null;
  custom_fields: CustomField[];
  notification_url: string | null;
  approvals_needed: number;
  /** When the tenant's admins are reminded of the request. Null: no longer. */
  remind_at: Date | null;
  /** Until when somebody has to approve it. */
  request_expires_at: Date | null;
  expires_at: Date;
  /** When the flow is to look at it, at the latest. Null: nothing will become of it by itself. */
  look_at: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** Whether the buyer chooses the amount. */
export function isOpen({ amount_min_minor, amount_max_minor }: PaymentLinkRow): boolean {
  return amount_min_minor !== amount_max_minor;
}

/** What one person decided about a link. Nobody decides twice, and nothing is taken back. */
export interface DecisionRow {
  link_id: string;
  tenant_id: string;
  decided_by: string;
  decision: 'approve' | 'reject';
  /** Whose delegate decided; null: a tenant admin. */
  on_behalf_of: string | null;
  reason: string | null;
  at: Date;
}

/** A tenant admin lets somebody else of the tenant decide in its place. */
export interface DelegationRow {
  id: string;
  tenant_id: string;
  from_id: string;
  to_id: string;
  currency: string;
  /** Links of up to so many minor units. */
  most_minor: bigint;
  ends_at: Date;
  revoked_at: Date | null;
  created_at: Date;
}

/** Links that are still good and whose address only an earlier key of VAULT_HMAC_KEY knows: how many, and until when. */
export async function linksOfEarlierKeys(
  system: Knex,
  tokens: LinkTokens,
): Promise<{ count: number; until: Date | undefined }> {
  const open: Pick<PaymentLinkRow, 'id' | 'token_digest' | 'expires_at'>[] = await system('payment_links')
    .where('expires_at', '>', system.fn.now())
    .orderBy('expires_at')
    .select('id', 'token_digest', 'expires_at');
  const earlier = open.filter((link) => tokens.isEarlier(link));
  return { count: earlier.length, until: earlier.at(-1)?.expires_at };
}

/** Locked where `lock`. Throws `not_found`. */
export async function findPaymentLink(
  trx: Knex.Transaction,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<PaymentLinkRow> {
  const rows = trx('payment_links').where({ id });
  return found<PaymentLinkRow>(await (lock ? rows.forUpdate() : rows).first(), 'payment link');
}

/**
 * The secret part of a link's address: computed from its id, and found again by its digest alone. It stays what it was when
 * the link was made, whichever key is the newest now.
 */
export class LinkTokens {
  private readonly mac: Mac;

  /** `hmacKey`: VAULT_HMAC_KEY; `publicUrl`: where the API is reached. */
  constructor(
    hmacKey: string,
    private readonly publicUrl: string,
  ) {
    this.mac = new Mac(hmacKey, 'payment-link');
  }

  /** 128 bits, as 22 characters of base64url. */
  of(linkId: string): string {
    return this.mac.of(linkId).subarray(0, 16).toString('base64url');
  }

  /** Where buyers pay by a link. */
  urlOf(link: Pick<PaymentLinkRow, 'id' | 'token_digest'>): string {
    return `${this.publicUrl}/pay/${this.all(link.id).find((token) => this.isOf(link, token)) ?? this.of(link.id)}`;
  }

  /** Whether only an earlier key knows the address. */
  isEarlier(link: Pick<PaymentLinkRow, 'id' | 'token_digest'>): boolean {
    return !this.isOf(link, this.of(link.id));
  }

  private all(linkId: string): string[] {
    return this.mac.all(linkId).map((mac) => mac.subarray(0, 16).toString('base64url'));
  }

  private isOf({ token_digest }: Pick<PaymentLinkRow, 'token_digest'>, token: string): boolean {
    return this.digest(token).equals(token_digest);
  }

  digest(token: string): Buffer {
    return createHash('sha256').update(token).digest();
  }
}
