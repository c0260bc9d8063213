import type { Knex } from 'knex';
import type { Connectors } from '../../domain/connector';
import type { UnmatchedTransferInput, UnmatchedTransferView } from '../../domain/flows';
import type { TransferInquiry } from '../../domain/processor-answers';
import { isClosed } from '../../domain/states/payment';
import { isInSuspense } from '../../domain/states/unmatched-transfer';
import type { Ledger } from '../../money/ledger/ledger';
import { type TransferTargets, targetsOfTransfer } from '../../money/payments/virtual-accounts';
import { findUnmatchedTransfer, suspend } from '../../money/suspense/arrival';
import { carryOutDecision, type Deciding, viewOf } from '../../money/suspense/steps';
import {
  lockUnmatchedTransfer,
  recordMatched,
  type UnmatchedTransferRow,
} from '../../money/suspense/unmatched-transfer';
import { type Inbox, type InboxRow, moneyOf } from './inbox';

interface Parts {
  inbox: Inbox;
  system: Knex;
  ledger: Ledger;
  connectors: Pick<Connectors, 'find'>;
  /** UNMATCHED_TRANSFER_GRACE_MS */
  graceMs: number;
}

/** Finds out which payment an incoming transfer is for. One that counts towards none goes to suspense. */
export class IncomingTransfers {
  constructor(private readonly parts: Parts) {}

  /** The report under the id of its payment; undefined where it goes to none, or where it has to wait. */
  async place(row: InboxRow): Promise<InboxRow | undefined> {
    if (row.reference.startsWith('pay_')) return row;
    const { system, inbox } = this.parts;
    const known = await findUnmatchedTransfer(system, row.processor, transferIdOf(row));
    if (known) return this.placeAgain(row, known);
    const targets = await targetsOfTransfer(system, row.reference, row.event.reason ?? '');
    const [target, ...others] = targets.payments;
    const fits = target && others.length === 0 && (row.event.money?.currency ?? target.currency) === target.currency;
    // The processor counts what comes on the account of an open payment towards it; its flow asks how much that is.
    if (fits && targets.by === 'account' && !isClosed(target.status)) return inbox.rename(row, target.id);
    const standing = await this.ask(row);
    switch (standing?.kind) {
      case 'unknown':
        return this.wait(row, `the processor cannot say which payment it is for: ${standing.detail}`);
      case 'assigned': {
        const paymentId = await this.ours(standing.paymentReference);
        return paymentId ? inbox.rename(row, paymentId) : this.waitThenSuspend(row, targets, standing.money);
      }
      case 'returning':
      case 'returned':
        return this.handled(row, 'ignored', 'the processor gives it back to its sender');
      case 'held':
      case 'return_declined':
        if (!fits || isClosed(target.status)) return this.waitThenSuspend(row, targets, standing.money);
        return this.suspend(row, targets, standing.money, target.id);
      // It cannot be asked about the transfer itself: about the payment it can.
      default:
        return fits ? inbox.rename(row, target.id) : this.waitThenSuspend(row, targets);
    }
  }

  /** A further report of a transfer that is in suspense, or was. */
  private async placeAgain(row: InboxRow, known: UnmatchedTransferRow): Promise<InboxRow | undefined> {
    // An earlier try got this far, and died before the report went on.
    if (known.status === 'matched' && known.callback_id === row.id)
      return this.parts.inbox.rename(row, known.payment_id!);
    const standing = isInSuspense(known.status) ? await this.ask(row) : undefined;
    if (standing?.kind === 'unknown') return this.wait(row, `${known.id} is in suspense: ${standing.detail}`);
    const paymentId = standing?.kind === 'assigned' ? await this.ours(standing.paymentReference) : undefined;
    if (!paymentId || !(await this.takeOut(known.id, row.id, paymentId)))
      return this.handled(row, 'applied', `it is known as ${known.id}`);
    return this.parts.inbox.rename(row, paymentId);
  }

  /** The processor counts the transfer towards a payment by now. False where that was known. */
  private takeOut(id: string, callbackId: string, paymentId: string): Promise<boolean> {
    const { system, ledger } = this.parts;
    return system.transaction(async (trx) => {
      const row = await lockUnmatchedTransfer(trx, id);
      if (!isInSuspense(row.status)) return false;
      await trx('unmatched_transfers').where({ id }).update({ callback_id: callbackId });
      await recordMatched(trx, ledger, row, paymentId);
      return true;
    });
  }

  /** Undefined where the processor has no way to say how a transfer stands. */
  private ask({ processor, event }: InboxRow): Promise<TransferInquiry | undefined> {
    const transfers = event.transferId ? this.parts.connectors.find(processor)?.transfers : undefined;
    return transfers ? transfers.inquire(event.transferId!) : Promise.resolve(undefined);
  }

  private async ours(paymentReference: string): Promise<string | undefined> {
    return (await this.parts.system('payments').where({ id: paymentReference }).first('id'))?.id;
  }

  /** A report may overtake the answer that gives the account out: only what names no payment for a while is suspended. */
  private waitThenSuspend(row: InboxRow, targets: TransferTargets, money = moneyOf(row.event)): Promise<undefined> {
    const isYoung = Date.now() - row.received_at.getTime() < this.parts.graceMs;
    if (isYoung && targets.payments.length === 0) return this.wait(row, 'nothing of ours matches it yet');
    return this.suspend(row, targets, money);
  }

  private async suspend(
    row: InboxRow,
    targets: TransferTargets,
    money = moneyOf(row.event),
    matchWith?: string,
  ): Promise<undefined> {
    if (!money) return this.handled(row, 'flagged', 'it states no amount');
    const { system, ledger } = this.parts;
    const transfer = {
      processor: row.processor,
      transferId: transferIdOf(row),
      callbackId: row.id,
      account: row.reference,
      text: row.event.reason ?? '',
      payerName: row.event.payerName,
      money,
    };
    const { id } = await suspend(system, ledger, transfer, targets, matchWith);
    return this.handled(row, 'applied', `in suspense as ${id}`);
  }

  private async wait(row: InboxRow, why: string): Promise<undefined> {
    await this.parts.inbox.mark(row.id, 'unmatched', why);
  }

  private async handled(row: InboxRow, state: 'applied' | 'ignored' | 'flagged', note: string): Promise<undefined> {
    await this.parts.inbox.mark(row.id, state, note);
  }
}

const transferIdOf = ({ event, event_id }: InboxRow) => event.transferId ?? event_id;

/** Carries a decision out; the report of a transfer that was matched goes to its payment then. */
export async function carryOutAndReport(
  deps: Deciding,
  inbox: Inbox,
  input: UnmatchedTransferInput,
  tries: number,
): Promise<UnmatchedTransferView> {
  const row = await carryOutDecision(deps, input);
  if (row.status === 'matched') await inbox.redirect(row.callback_id, row.payment_id!);
  return viewOf(deps, row, tries);
}
