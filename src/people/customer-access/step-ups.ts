import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { formatAmount } from '../../domain/money';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { Mac } from '../../foundation/vault/keyring';
import { findCustomer } from '../customers/customer';
import type { SecondFactor } from './second-factor';
import { CODE_MINUTES, codeRefused, type Letter, type Session, type Sessions } from './sessions';

/** What a customer confirms. `bank_payment`: one that a third party initiates. */
export type StepUpPurpose = 'card_payment' | 'topup' | 'transfer' | 'bank_payment';

/** One act, whole: a confirmation is good for exactly this. */
export interface Act {
  tenantId: string;
  customerId: string;
  purpose: StepUpPurpose;
  /** Minor units. */
  amountMinor: bigint;
  currency: string;
  /** `name`: as the customer reads it. */
  payee: { id: string; name: string };
}

/** One row of `step_ups`. */
export interface StepUpRow {
  id: string;
  tenant_id: string;
  customer_id: string;
  purpose: StepUpPurpose;
  amount_minor: bigint;
  currency: string;
  payee_id: string;
  payee_name: string;
  digest: Buffer;
  session_id: string;
  /** How the code comes. */
  method: Session['method'];
  created_at: Date;
  expires_at: Date;
  confirmed_at: Date | null;
  consumed_at: Date | null;
  consumed_by: string | null;
}

type Whose = Pick<Act, 'tenantId' | 'customerId'>;

/** How long after the question what was confirmed can still be used. A code is good for less. */
const MINUTES = CODE_MINUTES + 5;

/**
 * Confirmations that are bound to amount and payee (RTS on strong customer authentication, article 5): asked about one
 * act, confirmed with a code whose message names both, and used once, by exactly that act, in its own transaction.
 */
export class StepUps {
  private readonly mac: Mac;

  /** `hmacKey`: VAULT_HMAC_KEY. */
  constructor(
    private readonly database: Database,
    private readonly sessions: Sessions,
    private readonly secondFactor: Pick<SecondFactor, 'open'>,
    hmacKey: string,
  ) {
    this.mac = new Mac(hmacKey, 'step-up');
  }

  /**
   * Asks the customer to confirm an act: a code is sent, or the authenticator shows it. `language`: of the message. Throws
   * `not_found`, `rate_limited`, and `two_factor_required` where the customer has no way to get a code.
   */
  async ask(act: Act, language = 'en'): Promise<{ stepUpId: string; session: Session }> {
    const { tenantId, customerId, purpose, amountMinor, currency, payee } = act;
    await this.sessions.admit(customerId, customerId);
    return this.database.tenant(tenantId, async (trx) => {
      const customer = await findCustomer(trx, customerId);
      const session = await this.secondFactor.open(trx, customer, 'step_up', { letter: letterOf(act, language) });
      if (!session)
        throw new DomainError(
          'two_factor_required',
          'The customer has neither a verified address nor an authenticator',
        );
      const stepUpId = newId('stepUp');
      await trx('step_ups').insert({
        id: stepUpId,
        tenant_id: tenantId,
        customer_id: customerId,
        purpose,
        amount_minor: amountMinor,
        currency,
        payee_id: payee.id,
        payee_name: payee.name,
        digest: this.mac.of(termsOf(act)),
        session_id: session.sessionId,
        method: session.method,
        expires_at: trx.raw("clock_timestamp() + ? * interval '1 minute'", [MINUTES]),
      });
      return { stepUpId, session };
    });
  }

  /** Throws `not_found`, also for another customer's. */
  find({ tenantId, customerId }: Whose, stepUpId: string): Promise<StepUpRow> {
    return this.database.tenant(tenantId, async (trx) =>
      found<StepUpRow>(await trx('step_ups').where({ id: stepUpId, customer_id: customerId }).first(), 'step-up'),
    );
  }

  /**
   * Takes the customer's code. What is confirmed stays confirmed: the same form sent twice is no mistake. Throws
   * `not_found`, and `code_refused` for a code that is wrong, used, out of time or tried too often.
   */
  async confirm(whose: Whose, stepUpId: string, code: string): Promise<void> {
    const { tenantId, customerId } = whose;
    const asked = await this.find(whose, stepUpId);
    if (asked.confirmed_at) return;
    const question = { customerId, purpose: 'step_up', sessionId: asked.session_id } as const;
    const confirmed = await this.sessions.answer(tenantId, question, code, (trx) =>
      trx('step_ups')
        .where({ id: stepUpId })
        .update({ confirmed_at: trx.raw('clock_timestamp()') }),
    );
    // Somebody else of the same customer, such as the same form sent twice, was a moment sooner.
    if (confirmed || (await this.find(whose, stepUpId)).confirmed_at) return;
    await this.database.tenant(tenantId, (trx) =>
      appendAuditLine(trx, {
        tenantId,
        actor: customerId,
        action: 'customer.second_factor',
        target: customerId,
        result: 'refused',
        detail: { purpose: 'step_up', stepUpId },
      }),
    );
    throw codeRefused();
  }

  /**
   * Uses a confirmation up, in the transaction of its act. `actId`: the payment, transfer or the like; the same one again
   * is no second use. Throws `step_up_refused` for one that is not confirmed, was used, is out of time, or was given for
   * anything but exactly this act.
   */
  async consume(trx: Knex.Transaction, act: Act, stepUpId: string, actId: string): Promise<void> {
    const { tenantId, customerId, purpose, amountMinor, currency, payee } = act;
    const used = await trx('step_ups')
      .where({ id: stepUpId, customer_id: customerId })
      .whereIn('digest', this.mac.all(termsOf(act)))
      .whereNotNull('confirmed_at')
      .where('expires_at', '>', trx.raw('clock_timestamp()'))
      .where((free) => free.whereNull('consumed_at').orWhere({ consumed_by: actId }))
      .update({ consumed_at: trx.raw('coalesce(consumed_at, clock_timestamp())'), consumed_by: actId });
    if (used === 0)
      throw new DomainError(
        'step_up_refused',
        'The customer has not confirmed this, or not with this amount and payee',
      );
    await appendAuditLine(trx, {
      tenantId,
      actor: customerId,
      action: 'customer.step_up',
      target: customerId,
      result: 'done',
      detail: { stepUpId, purpose, amount: formatAmount(amountMinor, currency), currency, payee: payee.id, for: actId },
    });
  }
}

function termsOf({ tenantId, customerId, purpose, amountMinor, currency, payee }: Act): string {
  return JSON.stringify([tenantId, customerId, purpose, `${amountMinor}`, currency, payee.id, payee.name]);
}

/** The message names what is confirmed: whoever reads another amount or payee than the page shows is warned. */
function letterOf({ amountMinor, currency, payee }: Act, language: string): Letter {
  const amount = `${formatAmount(amountMinor, currency)} ${currency}`;
  return (code) =>
    language === 'pt'
      ? {
          subject: 'O seu código',
          text:
            `${code} é o seu código para pagar ${amount} a ${payee.name}. Vale ${CODE_MINUTES} minutos e uma só vez. ` +
            'Nunca o transmita; se não está a pagar isto, ignore esta mensagem.',
        }
      : {
          subject: 'Your one-time code',
          text:
            `${code} is your code to pay ${amount} to ${payee.name}. It is good for ${CODE_MINUTES} minutes and one use. ` +
            'Never pass it on; if you are not paying this, ignore this message.',
        };
}
