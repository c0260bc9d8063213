import { randomUUID } from 'node:crypto';
import type { DisputeCapability } from '../../../../../src/domain/connector';
import { type Bench, EUR } from './bench';

/** The dispute API of a processor that has one. */
export function describeDisputes(bench: Bench): void {
  describe('disputes', () => {
    const disputes = () => bench.connector.disputes as DisputeCapability;
    const disputesSaying = (answer: { status?: number; body: string }) =>
      bench.asking(answer).disputes as DisputeCapability;
    const charged = async (): Promise<{ reference: string; caseId: string }> => {
      const { reference } = await bench.paid();
      await bench.tell(reference, 'charged_back');
      const { caseId } = await bench.event(reference, 'charged_back');
      return { reference, caseId: caseId as string };
    };
    const evidenceOn = (caseId: string, text: string) => ({
      caseId,
      evidenceReference: `dop_${randomUUID()}`,
      idempotencyKey: `dispute/${caseId}/${text}`,
      text,
      documents: [{ name: 'note.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7') }],
    });

    it('takes evidence once per key, and tells how it was decided', async () => {
      const { reference, caseId } = await charged();
      expect(await disputes().inquire(caseId)).toMatchObject({ kind: 'stands', stage: 'open', money: EUR(1_000n) });
      const evidence = evidenceOn(caseId, 'It was delivered.');
      expect(await disputes().submitEvidence(evidence)).toMatchObject({ kind: 'stands', stage: 'evidence_submitted' });
      expect(await disputes().submitEvidence(evidence)).toMatchObject({ kind: 'stands', stage: 'evidence_submitted' });
      expect(await bench.event(reference, 'chargeback_won')).toMatchObject({ caseId, money: EUR(1_000n) });
      expect(await disputes().inquire(caseId)).toMatchObject({ kind: 'stands', stage: 'won' });
      expect(await disputes().submitEvidence(evidenceOn(caseId, 'More.'))).toMatchObject({
        kind: 'refused',
        stage: 'won',
      });
    });

    it('presents a second time on evidence only, and decides after that', async () => {
      const { reference, caseId } = await charged();
      const call = { caseId, idempotencyKey: `dispute/${caseId}/present` };
      expect(await disputes().present(call)).toMatchObject({ kind: 'refused', stage: 'open' });
      await disputes().submitEvidence(evidenceOn(caseId, 'Please.'));
      expect(await disputes().present(call)).toMatchObject({ kind: 'stands', stage: 'presented' });
      expect(await bench.event(reference, 'second_presentment')).toMatchObject({ caseId, money: EUR(1_000n) });
      expect(await bench.event(reference, 'chargeback_lost')).toMatchObject({ caseId, money: EUR(1_000n) });
    });

    it('is given up', async () => {
      const { caseId } = await charged();
      const call = { caseId, idempotencyKey: `dispute/${caseId}/accept` };
      expect(await disputes().accept(call)).toMatchObject({ kind: 'stands', stage: 'lost' });
      expect(await disputes().accept(call)).toMatchObject({ kind: 'stands', stage: 'lost' });
    });

    it.each(['drop', 'close_before', 'close_after', 'status_500'])(
      '%s leaves it unknown, and the key works later',
      async (fault) => {
        const { reference, caseId } = await charged();
        await bench.inject('dispute', fault, reference);
        const call = { caseId, idempotencyKey: `dispute/${caseId}/accept` };
        expect((await (bench.impatient.disputes as DisputeCapability).accept(call)).kind).toBe('unknown');
        expect(await disputes().accept(call)).toMatchObject({ kind: 'stands', stage: 'lost' });
      },
    );

    it('does not know what it was never told', async () => {
      expect(await disputes().inquire('case_0')).toEqual({ kind: 'not_found' });
    });

    it.each(bench.spec.disputeAnswers ?? [])('$title', async ({ status = 200, body, means }) => {
      expect(await disputesSaying({ status, body }).inquire('case_1')).toMatchObject(means);
    });

    it.each(['', 'null', '[]', '{', '{}', '{"status":17}'])('unreadable: %s', async (body) => {
      expect((await disputesSaying({ body }).inquire('case_1')).kind).toBe('unknown');
    });
  });
}
