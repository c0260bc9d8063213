import type Router from '@koa/router';
import { referenceIn } from '../../api';
import type { Reply } from '../../calls';
import type { Desk } from '../../personality';
import type { Dispute } from '../../records';
import { Refusal } from '../../refusal';
import { keyOf, readJson } from '../../request';
import { presentDispute, readEvidence, refuse } from './wire';

const EVIDENCE_LIMIT_BYTES = 2 * 1024 * 1024;

/** `/a/v1/disputes/{caseId}`: state, evidence, second presentment, giving up. */
export function addDisputeRoutes(router: Router, { disputes, books, calls }: Desk): void {
  /** What the state of the dispute does not allow is answered with the dispute. */
  const operation = (caseId: string, perform: () => Dispute) => (): Reply => {
    try {
      return { status: 200, body: presentDispute(perform()) };
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_state') throw error;
      return refuse(error, presentDispute(disputes.find(caseId)), 'dispute');
    }
  };
  /** Faults are ordered by payment. */
  const paymentOf = (caseId: string) => books.get('dispute', caseId)?.reference ?? caseId;

  router.get('/disputes/:reference', async (ctx) => {
    const caseId = referenceIn(ctx);
    await calls.answer(ctx, {
      processor: 'a',
      on: 'inquiry',
      reference: paymentOf(caseId),
      fingerprint: '',
      perform: () => ({ status: 200, body: presentDispute(disputes.find(caseId)) }),
    });
  });

  router.post('/disputes/:reference/evidence', async (ctx) => {
    const caseId = referenceIn(ctx);
    const evidence = readEvidence(await readJson(ctx, EVIDENCE_LIMIT_BYTES));
    await calls.answer(ctx, {
      processor: 'a',
      on: 'dispute',
      reference: paymentOf(caseId),
      idempotencyKey: keyOf(ctx),
      fingerprint: `evidence ${caseId} ${evidence.reference}`,
      perform: operation(caseId, () => disputes.submitEvidence(caseId, evidence)),
    });
  });

  for (const [path, perform] of [
    ['presentment', (caseId: string) => disputes.present(caseId)],
    ['acceptance', (caseId: string) => disputes.accept(caseId)],
  ] as const)
    router.post(`/disputes/:reference/${path}`, async (ctx) => {
      const caseId = referenceIn(ctx);
      await readJson(ctx);
      await calls.answer(ctx, {
        processor: 'a',
        on: 'dispute',
        reference: paymentOf(caseId),
        idempotencyKey: keyOf(ctx),
        fingerprint: `${path} ${caseId}`,
        perform: operation(caseId, () => perform(caseId)),
      });
    });
}
