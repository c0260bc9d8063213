import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Database } from '../../foundation/db/database';
import { tokenDigest } from '../../people/identity/tokens';

/** `consume` throws it if another request was faster. */
export type AlreadyConsumed = () => Error;

/**
 * oidc-provider's store in Postgres. The id of a model is a secret, because an opaque token is its id. So we store the
 * SHA-256 of the id, and the payload without the id.
 */
export class PostgresAdapter implements Adapter {
  constructor(
    private readonly model: string,
    private readonly database: Database,
    private readonly alreadyConsumed: AlreadyConsumed,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresInSeconds: number): Promise<void> {
    const { jti, ...kept } = payload;
    await this.rows()
      .insert({
        model: this.model,
        id: tokenDigest(id),
        payload: JSON.stringify(kept),
        grant_id: payload.grantId ?? null,
        user_code: payload.userCode ?? null,
        uid: payload.uid ?? null,
        expires_at: expiresInSeconds ? new Date(Date.now() + expiresInSeconds * 1000) : null,
      })
      .onConflict(['model', 'id'])
      .merge();
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const row = await this.rows()
      .where({ model: this.model, id: tokenDigest(id) })
      .first();
    return row && { ...live(row), ...(row.payload.kind && { jti: id }) };
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return live(await this.rows().where({ model: this.model, uid }).first());
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return live(await this.rows().where({ model: this.model, user_code: userCode }).first());
  }

  /** Uses up a code or refresh token. If several requests try at once, exactly one succeeds. */
  async consume(id: string): Promise<void> {
    const consumed = await this.rows()
      .where({ model: this.model, id: tokenDigest(id) })
      .whereNull('consumed_at')
      .update({ consumed_at: this.database.system.fn.now() });
    if (consumed > 0) return;
    await this.endGrantOf(id);
    throw this.alreadyConsumed();
  }

  /** RFC 6749, section 4.1.2: what was used twice was stolen perhaps. Every token that it has led to, or still leads to, ends. */
  private async endGrantOf(id: string): Promise<void> {
    const used = await this.rows()
      .where({ model: this.model, id: tokenDigest(id) })
      .first('grant_id');
    if (!used?.grant_id) return;
    await this.revokeByGrantId(used.grant_id);
    await this.rows()
      .where({ model: 'Grant', id: tokenDigest(used.grant_id) })
      .delete();
  }

  async destroy(id: string): Promise<void> {
    await this.rows()
      .where({ model: this.model, id: tokenDigest(id) })
      .delete();
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.rows().where({ grant_id: grantId }).delete();
  }

  private rows() {
    return this.database.system('oidc_payloads');
  }
}

interface Row {
  payload: AdapterPayload;
  consumed_at: Date | null;
}

function live(row: Row | undefined): AdapterPayload | undefined {
  if (!row) return undefined;
  return { ...row.payload, ...(row.consumed_at && { consumed: Math.floor(row.consumed_at.getTime() / 1000) }) };
}
