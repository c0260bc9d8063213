import { DomainError, notFound } from '../../domain/errors';
import type { RequestStatus } from '../../domain/states/money-request';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import { type Acting, noteActing } from './acting';
import { proceedWithRequest } from './flow';
import {
  endRequest,
  findRequest,
  lockRequest,
  makeRequest,
  payRequest,
  type RequestOrder,
  type RequestRow,
} from './requests';
import type { TransferDependencies } from './send';

export interface RequestFilter extends Page {
  customerId?: string;
  direction?: 'sent' | 'received';
  status?: RequestStatus;
}

/** Which request it is and who acts on it. `customerId`: the customer whose token it is; absent for staff. */
export interface RequestAct {
  tenantId: string;
  requestId: string;
  customerId?: string;
  acting: Acting;
}

type Side = 'requester_id' | 'payer_id';

/** Requests for money: what one customer asks of another. */
export class MoneyRequests {
  private readonly parts: TransferDependencies;

  constructor(
    private readonly deps: { database: Database; engine: Engine; p2p: TransferDependencies },
    private readonly ttlMs: number,
  ) {
    this.parts = deps.p2p;
  }

  /** Throws as `makeRequest` does. `expiresAt` counts as far as the setting allows. */
  async ask(order: Omit<RequestOrder, 'expiresAt'> & { expiresAt?: Date }): Promise<RequestRow> {
    const latest = new Date(Date.now() + this.ttlMs);
    const expiresAt = order.expiresAt && order.expiresAt < latest ? order.expiresAt : latest;
    const request = await this.deps.database.tenant(order.tenantId, (trx) =>
      makeRequest(trx, this.parts.keys, { ...order, expiresAt }),
    );
    await this.wake(request);
    return request;
  }

  /** Pays by a transfer of that id. Throws as a transfer does, `forbidden` for the requester, `invalid_state`. */
  async pay({ tenantId, requestId, customerId, acting }: RequestAct, transferId: string): Promise<RequestRow> {
    const { request } = await this.deps.database.tenant(tenantId, async (trx) => {
      requireSide(await findRequest(trx, requestId), 'payer_id', customerId);
      return payRequest(trx, this.parts, { requestId, transferId, acting });
    });
    await this.wake(request);
    return request;
  }

  decline(act: RequestAct): Promise<RequestRow> {
    return this.end(act, 'payer_id', 'declined');
  }

  cancel(act: RequestAct): Promise<RequestRow> {
    return this.end(act, 'requester_id', 'cancelled');
  }

  /** Throws `not_found`, also for a customer who is no party to it. */
  find(tenantId: string, requestId: string, customerId?: string): Promise<RequestRow> {
    return this.deps.database.tenant(tenantId, async (trx) =>
      requireParty(await findRequest(trx, requestId), customerId),
    );
  }

  /** Up to `limit + 1` requests, newest first. */
  list(tenantId: string, { limit, cursor, customerId, direction, status }: RequestFilter): Promise<RequestRow[]> {
    return this.deps.database.tenant(tenantId, (trx) => {
      const query = paged(trx('p2p_requests'), { limit, cursor });
      if (status) query.where({ status });
      if (customerId)
        query.where((side) => {
          if (direction !== 'received') side.orWhere({ requester_id: customerId });
          if (direction !== 'sent') side.orWhere({ payer_id: customerId });
        });
      return query;
    });
  }

  private async end(
    { tenantId, requestId, customerId, acting }: RequestAct,
    side: Side,
    to: 'declined' | 'cancelled',
  ): Promise<RequestRow> {
    const ended = await this.deps.database.tenant(tenantId, async (trx) => {
      requireSide(await findRequest(trx, requestId), side, customerId);
      const request = await lockRequest(trx, requestId);
      await noteActing(trx, tenantId, acting, `money_request_${to}`, request[side], { requestId });
      return endRequest(trx, request, to);
    });
    await this.wake(ended);
    return ended;
  }

  private wake(request: RequestRow): Promise<boolean> {
    const { engine } = this.deps;
    return wake(engine, () => proceedWithRequest(engine, request));
  }
}

function requireParty(request: RequestRow, customerId: string | undefined): RequestRow {
  if (customerId && request.requester_id !== customerId && request.payer_id !== customerId) throw notFound('request');
  return request;
}

function requireSide(request: RequestRow, side: Side, customerId: string | undefined): void {
  requireParty(request, customerId);
  if (customerId && request[side] !== customerId)
    throw new DomainError('forbidden', `This is for the ${side === 'payer_id' ? 'payer' : 'requester'} to do`);
}
