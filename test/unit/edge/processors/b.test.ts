import { createHmac, randomUUID } from 'node:crypto';
import { isValidIBAN } from 'ibantools';
import type { OutgoingTransferRequest, RawCallback } from '../../../../src/domain/connector';
import { RESULT } from '../../../../src/domain/result-codes';
import { createConnectorB } from '../../../../src/edge/processors/b';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { describeConnector } from './contract';
import { Bench } from './contract/bench';
import { MEANS } from './contract/means';
import type { ConnectorSpec } from './contract/spec';

const SECRET = 'secret of processor b';
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });

const xml = (root: string, members: Record<string, string>) =>
  `<?xml version="1.0" encoding="UTF-8"?><${root}>${Object.entries(members)
    .map(([name, content]) => `<${name}>${content}</${name}>`)
    .join('')}</${root}>`;
const base = { id: 'pb_1', referencia: 'pay_1', metodo: 'redirecionamento', valor: '10,00', moeda: 'EUR' };
const payment = (members: Record<string, string>) => xml('pagamento', { ...base, ...members });
const refund = (members: Record<string, string>) =>
  xml('devolucao', { id: 'rb_1', referencia: 'ref_1', valor: '4,00', moeda: 'EUR', ...members });
const waiting = { estado: 'pendente', pagina: 'https://b.example/p', validade: '2030-01-01T00:00:00.000Z' };
const account = xml('conta', { iban: 'PT1', bic: 'BIC', titular: 'B', referencia: 'RF1' }).slice(38);

const transferOf = (estado: string, id = 'tr_1') => xml('transferencia', { id, estado, valor: '10,00', moeda: 'EUR' });

/** Signed in sorted order, sent in the order given. */
const query =
  (text: string) =>
  (secret: string): RawCallback => {
    const signature = createHmac('sha512', secret).update(text.split('&').sort().join('&')).digest('hex');
    return {
      method: 'GET',
      path: '/callbacks/processor_b',
      query: `assinatura=${signature}&${text}`,
      headers: {},
      body: Buffer.alloc(0),
    };
  };

const callback = (estado: string, type: string, more = '') => ({
  title: estado,
  receiver: 'processor_b',
  raw: query(`evento=evt_1&estado=${estado}&referencia=pay_1&valor=10%2C00&moeda=EUR${more}`),
  means: {
    eventId: 'evt_1',
    reference: 'pay_1',
    type: type as 'captured',
    processorStatus: estado,
    money: EUR(1_000n),
  },
});
const malformed = (title: string, text: string) => ({ title, receiver: 'processor_b', raw: query(text) });

const SPEC: ConnectorSpec = {
  processor: 'b',
  secret: SECRET,
  feeMinor: 12n,
  create: (options) => createConnectorB({ ...options, apiKey: apiKeyFor(SECRET) }),
  paymentAnswers: [
    ...['pago', 'liquidado', 'devolvido_parcial', 'devolvido', 'contestado'].map((estado) => ({
      title: estado,
      body: payment({ estado, valor_pago: '10,00' }),
      means: { kind: 'captured' as const, money: EUR(1_000n) },
    })),
    {
      title: 'pendente, by redirect',
      body: payment(waiting),
      means: {
        kind: 'payer_action',
        action: { type: 'redirect', method: 'GET', url: waiting.pagina, expiresAt: waiting.validade },
      },
    },
    {
      title: 'pendente, by voucher',
      body: payment({
        ...waiting,
        metodo: 'multibanco',
        multibanco: '<entidade>21312</entidade><referencia>123456789</referencia>',
      }),
      means: {
        kind: 'payer_action',
        action: {
          type: 'instructions',
          url: waiting.pagina,
          expiresAt: waiting.validade,
          fields: { entity: '21312', reference: '123456789', amount: '10.00', currency: 'EUR' },
        },
      },
    },
    {
      title: 'pago_parcial, by transfer',
      body: payment({ ...waiting, estado: 'pago_parcial', metodo: 'transferencia', valor_recebido: '3,50' }).replace(
        '</pagamento>',
        `${account}</pagamento>`,
      ),
      means: {
        kind: 'payer_action',
        detail: '3.50 EUR of 10.00 EUR has arrived; waiting for the rest.',
        action: {
          type: 'instructions',
          url: waiting.pagina,
          expiresAt: waiting.validade,
          fields: {
            iban: 'PT1',
            bic: 'BIC',
            accountHolder: 'B',
            reference: 'RF1',
            amount: '6.50',
            currency: 'EUR',
          },
        },
      },
    },
    {
      title: 'an excess that is returned',
      body: payment({ estado: 'pago', valor_pago: '10,00', valor_recebido: '12,50' }),
      means: { kind: 'captured', money: EUR(1_000n), detail: expect.stringContaining('2.50 EUR') },
    },
    ...(
      [
        ['recusado_pelo_banco', RESULT.declined],
        ['saldo_insuficiente', RESULT.insufficientFunds],
        ['limite_excedido', RESULT.limitExceeded],
        ['suspeita_de_fraude', RESULT.blockedByRiskRule],
        ['desistencia', RESULT.declined],
        ['constructor', RESULT.declined],
      ] as const
    ).map(([motivo, code]) => ({
      title: `recusado for ${motivo}`,
      body: payment({ estado: 'recusado', motivo }),
      means: { kind: 'declined' as const, code },
    })),
    ...['anulado', 'expirado'].map((estado) => ({
      title: estado,
      body: payment({ estado }),
      means: { kind: 'voided' as const },
    })),
    ...['em_processamento', 'PAGO', 'constructor', '__proto__', 'toString'].map((estado) => ({
      title: `the unknown word ${estado}`,
      body: payment({ estado, valor_pago: '10,00' }),
      means: { kind: 'pending' as const },
    })),
    {
      title: 'a refused operation, with the payment',
      status: 409,
      body: `<erro>${payment({ estado: 'anulado' }).slice(38)}</erro>`,
      means: { kind: 'voided' },
    },
    { title: 'paid without an amount', body: payment({ estado: 'pago' }), means: { kind: 'unknown' } },
    { title: 'waiting without a page', body: payment({ estado: 'pendente' }), means: { kind: 'unknown' } },
    {
      title: 'a page that is a script',
      body: payment({ ...waiting, pagina: 'javascript:alert(1)' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'a transfer without an account',
      body: payment({ ...waiting, metodo: 'transferencia' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'another payment',
      body: payment({ estado: 'anulado', referencia: 'pay_2' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'an amount with a point',
      body: payment({ estado: 'anulado', valor: '10.00' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'an amount with other decimals',
      body: payment({ estado: 'anulado', valor: '10,0' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'two payments',
      body: payment({ estado: 'anulado' }).replace('</pagamento>', '</pagamento><pagamento/>'),
      means: { kind: 'unknown' },
    },
    {
      title: 'a document type with entities',
      body: `<!DOCTYPE p [<!ENTITY e "anulado">]>${payment({ estado: '&e;' }).slice(38)}`,
      means: { kind: 'unknown' },
    },
    { title: 'a document cut short', body: payment({ estado: 'anulado' }).slice(0, -5), means: { kind: 'unknown' } },
    { title: 'nothing found', status: 404, body: '<erro/>', means: { kind: 'not_found' } },
    { title: 'a wrong key', status: 401, body: '<erro/>', means: { kind: 'unknown' } },
  ],
  refundAnswers: [
    { title: 'devolvido', body: refund({ estado: 'devolvido' }), means: { kind: 'refunded', money: EUR(400n) } },
    {
      title: 'devolucao_recusada',
      body: refund({ estado: 'devolucao_recusada' }),
      means: { kind: 'refund_declined' },
    },
    { title: 'em_processamento', body: refund({ estado: 'em_processamento' }), means: { kind: 'pending' } },
    { title: 'the unknown word constructor', body: refund({ estado: 'constructor' }), means: { kind: 'pending' } },
    {
      title: 'another refund',
      body: refund({ estado: 'devolvido', referencia: 'ref_2' }),
      means: { kind: 'unknown' },
    },
    { title: 'nothing found', status: 404, body: '<erro/>', means: { kind: 'not_found' } },
  ],
  callbacks: [
    callback('autorizado', 'authorized'),
    callback('pago', 'captured', '&transacao=pb_1'),
    callback('liquidado', 'settled'),
    callback('anulado', 'voided'),
    callback('devolvido', 'refunded'),
    callback('devolucao_recusada', 'refund_declined'),
    callback('em_processamento', 'processing'),
    callback('contestado', 'charged_back', '&processo=case_1'),
    callback('reapresentado', 'second_presentment', '&processo=case_1'),
    callback('contestacao_ganha', 'chargeback_won', '&processo=case_1'),
    callback('contestacao_perdida', 'chargeback_lost', '&processo=case_1'),
    callback('em_revisao', 'pending'),
    callback('constructor', 'pending'),
    {
      title: 'recusado',
      receiver: 'processor_b',
      raw: query('evento=evt_1&estado=recusado&referencia=pay_1&motivo=saldo_insuficiente'),
      means: { type: 'failed', code: RESULT.insufficientFunds, reason: 'The payer has insufficient funds.' },
    },
    {
      title: 'transferencia_recebida',
      receiver: 'processor_b',
      raw: query(
        'moeda=EUR&valor=3%2C50&descritivo=RF18%201234&conta=PT50&transferencia=tr_1&ordenante=Ada&estado=transferencia_recebida&evento=evt_2&data=2026-01-31T12%3A00%3A00.000Z',
      ),
      means: {
        type: 'transfer_received',
        transferId: 'tr_1',
        payerName: 'Ada',
        reference: 'PT50',
        reason: 'RF18 1234',
        money: EUR(350n),
        occurredAt: '2026-01-31T12:00:00.000Z',
      },
    },
    ...(
      [
        ['transferencia_liquidada', 'payout_settled', undefined],
        ['transferencia_devolvida', 'payout_returned', 'the account is closed'],
        ['transferencia_recusada', 'payout_refused', 'the account is closed'],
      ] as const
    ).map(([estado, type, reason]) => ({
      title: estado,
      receiver: 'processor_b',
      raw: query(
        `evento=evt_4&estado=${estado}&referencia=pot_1&transacao=ts_1&valor=10%2C00&moeda=EUR${reason ? '&motivo=conta_encerrada' : ''}`,
      ),
      means: { type, reference: 'pot_1', processorReference: 'ts_1', money: EUR(1_000n), ...(reason && { reason }) },
    })),
    {
      title: 'lote_fechado',
      receiver: 'processor_b',
      raw: query('evento=evt_3&estado=lote_fechado&lote=bb_1'),
      means: { type: 'settlement_batch', batchId: 'bb_1', reference: 'bb_1' },
    },
  ],
  malformedCallbacks: [
    malformed('no event id', 'estado=pago&referencia=pay_1'),
    malformed('no status', 'evento=evt_1&referencia=pay_1'),
    malformed('no reference', 'evento=evt_1&estado=pago'),
    malformed('a transfer without its account', 'evento=evt_1&estado=transferencia_recebida&referencia=pay_1'),
    malformed('a batch without its id', 'evento=evt_1&estado=lote_fechado'),
    malformed('an amount with a point', 'evento=evt_1&estado=pago&referencia=pay_1&valor=10.00&moeda=EUR'),
    malformed('an amount without a currency', 'evento=evt_1&estado=pago&referencia=pay_1&valor=10%2C00'),
    malformed('a time that is none', 'evento=evt_1&estado=pago&referencia=pay_1&data=ontem'),
    malformed('a name that is there twice', 'evento=evt_1&estado=pago&referencia=pay_1&referencia=pay_2'),
  ],
};

describe('processor B', () => {
  describeConnector(SPEC);

  describe('accounts and vouchers', () => {
    const bench = new Bench(SPEC);
    beforeAll(() => bench.start());
    afterAll(() => bench.stop());

    const fieldsFor = async (kind: 'bank_transfer' | 'apm', index: number) => {
      const answer = await bench.connector.authorize(bench.order(MEANS[kind][index]));
      return (answer.kind === 'payer_action' && answer.action.fields) || {};
    };
    /** The remainder by 97 that makes an account number or a reference right (ISO/IEC 7064, MOD 97-10). */
    const mod97 = (text: string) =>
      BigInt([...text.slice(4), ...text.slice(0, 4)].map((sign) => Number.parseInt(sign, 36)).join('')) % 97n;

    it('gives every transfer an account and a reference of its own, with right check digits', async () => {
      const [one, other] = [await fieldsFor('bank_transfer', 0), await fieldsFor('bank_transfer', 0)];
      expect(one.iban).not.toBe(other.iban);
      expect(isValidIBAN(one.iban!)).toBe(true);
      expect(one.reference).toMatch(/^RF[0-9]{2}[0-9A-Z]{1,21}$/);
      expect(mod97(one.reference!)).toBe(1n);
      expect(one).toMatchObject({ amount: '10.00', currency: 'EUR', bic: expect.any(String) });
    });

    it('gives a voucher entity, reference and amount', async () => {
      const fields = await fieldsFor('apm', 1);
      expect(fields).toMatchObject({ entity: expect.stringMatching(/^\d{5}$/), amount: '10.00', currency: 'EUR' });
      expect(fields.reference).toMatch(/^\d{9}$/);
    });

    describe('transfers that count towards no payment', () => {
      const path = () => `${bench.simulatorUrl}/sim/processors/b/transfers`;
      const sent = async (order: object): Promise<Record<string, string>> => {
        const body = JSON.stringify({ iban: 'PT50000000000000000000000', amount: '10.00', ...order });
        const response = await fetch(path(), { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        expect(response.status).toBe(201);
        return (await response.json()) as Record<string, string>;
      };
      const transfers = () => bench.connector.transfers!;
      const waiting = async () => {
        const request = bench.order(MEANS.bank_transfer[0]);
        const answer = await bench.connector.authorize(request);
        const { iban } = (answer.kind === 'payer_action' && answer.action.fields) || {};
        return { paymentReference: request.reference, iban: iban! };
      };
      const key = () => `key-${randomUUID()}`;

      it('are told of under an id of their own, with text and sender', async () => {
        const { transferId, iban } = await sent({ iban: 'PT50NOBODY', text: 'invoice 4711', payerName: 'Ada' });
        const event = await bench.event(iban!, 'transfer_received');
        expect(event).toMatchObject({ transferId, reason: 'invoice 4711', payerName: 'Ada', money: EUR(1_000n) });
        expect(await transfers().inquire(transferId!)).toEqual({ kind: 'held', money: EUR(1_000n) });
      });

      it('are those in another currency, or on the account of a payment that is paid', async () => {
        const { iban, paymentReference } = await waiting();
        const dollars = await sent({ iban, currency: 'USD' });
        expect((await transfers().inquire(dollars.transferId!)).kind).toBe('held');
        const paying = await sent({ iban });
        const assigned = { kind: 'assigned', money: EUR(1_000n), paymentReference };
        expect(await transfers().inquire(paying.transferId!)).toEqual(assigned);
        expect(await bench.connector.inquirePayment(paymentReference)).toMatchObject({ kind: 'captured' });
        const again = await sent({ iban });
        expect((await transfers().inquire(again.transferId!)).kind).toBe('held');
      });

      it('are assigned to a payment that waits, which is paid by that; a repeat changes nothing', async () => {
        const { paymentReference } = await waiting();
        const { transferId } = await sent({});
        const call = { transferId: transferId!, paymentReference, idempotencyKey: key() };
        const assigned = { kind: 'assigned', money: EUR(1_000n), paymentReference };
        expect(await transfers().assign(call)).toEqual(assigned);
        expect(await transfers().assign(call)).toEqual(assigned);
        expect(await transfers().assign({ ...call, idempotencyKey: key() })).toEqual(assigned);
        expect(await bench.connector.inquirePayment(paymentReference)).toMatchObject({ kind: 'captured' });
        expect(await bench.chargesOf(paymentReference)).toMatchObject([{ captured: '10.00' }]);
        const back = { transferId: transferId!, returnReference: 'utr_1-1', idempotencyKey: key() };
        expect(await transfers().giveBack(back)).toMatchObject({ kind: 'refused', standing: assigned });
      });

      it('are not assigned to a payment that does not wait', async () => {
        const { paymentReference } = await waiting();
        await bench.connector.void({ reference: paymentReference, idempotencyKey: key() });
        const { transferId } = await sent({});
        const call = { transferId: transferId!, paymentReference, idempotencyKey: key() };
        expect(await transfers().assign(call)).toMatchObject({ kind: 'refused', standing: { kind: 'held' } });
      });

      it('are given back once', async () => {
        const { transferId } = await sent({});
        const call = { transferId: transferId!, returnReference: 'utr_1-1', idempotencyKey: key() };
        expect(await transfers().giveBack(call)).toMatchObject({ kind: 'returned' });
        expect(await transfers().giveBack(call)).toMatchObject({ kind: 'returned' });
        const assign = { transferId: transferId!, paymentReference: 'pay_1', idempotencyKey: key() };
        expect(await transfers().assign(assign)).toMatchObject({ kind: 'refused', standing: { kind: 'returned' } });
        expect(await transfers().inquire('tr_unknown')).toEqual({ kind: 'not_found' });
      });

      it.each([
        [{ status: 200, body: '<transferencia><id>tr_9</id></transferencia>' }, 'unknown'],
        [{ status: 200, body: transferOf('por_afetar', 'tr_other') }, 'unknown'],
        [{ status: 200, body: transferOf('em_analise') }, 'unknown'],
        [{ status: 200, body: transferOf('afetada') }, 'unknown'],
        [{ status: 200, body: transferOf('por_afetar') }, 'held'],
        [{ status: 200, body: transferOf('em_devolucao') }, 'returning'],
        [{ status: 200, body: transferOf('devolucao_falhada') }, 'return_declined'],
        [{ status: 404, body: '' }, 'not_found'],
        [{ status: 429, body: '' }, 'unknown'],
        [{ status: 500, body: '' }, 'unknown'],
      ])('%j means %s', async (answer, kind) => {
        expect((await bench.asking(answer).transfers!.inquire('tr_1')).kind).toBe(kind);
      });

      it.each([
        [400, 'refused'],
        [429, 'not_taken'],
        [404, 'not_found'],
        [503, 'unknown'],
      ])('an order that is answered %d is %s', async (status, kind) => {
        const connector = bench.asking({ status, body: '' });
        const call = { transferId: 'tr_1', idempotencyKey: 'k' };
        expect((await connector.transfers!.assign({ ...call, paymentReference: 'pay_1' })).kind).toBe(kind);
        expect((await connector.transfers!.giveBack({ ...call, returnReference: 'utr_1-1' })).kind).toBe(kind);
      });
    });

    describe('transfers that it sends', () => {
      const payouts = () => bench.connector.payouts!;
      const key = () => `key-${randomUUID()}`;
      const order = (ending = '00', overrides: Partial<OutgoingTransferRequest> = {}): OutgoingTransferRequest => {
        const reference = `pot_${randomUUID()}`;
        const beneficiary = { iban: `DE893704004405320130${ending}`, holder: 'A & B <Ltd>', bic: 'COBADEFFXXX' };
        const idempotencyKey = `payout/${reference}/send`;
        return { reference, idempotencyKey, money: EUR(1_000n), beneficiary, text: 'Payout 1', ...overrides };
      };
      const atProcessor = async (reference: string): Promise<Record<string, unknown>[]> => {
        const url = `${bench.simulatorUrl}/sim/processors/b/payouts?reference=${reference}`;
        return ((await (await fetch(url)).json()) as { data: Record<string, unknown>[] }).data;
      };

      it('are sent once per key, told of when they end, and a line of the report', async () => {
        const request = order();
        const accepted = { kind: 'accepted', money: EUR(1_000n), processorReference: expect.any(String) };
        expect(await payouts().send(request)).toEqual(accepted);
        expect(await payouts().send(request)).toEqual(accepted);
        expect(await atProcessor(request.reference)).toMatchObject([{ requests: 2, holder: 'A & B <Ltd>' }]);
        expect(await bench.event(request.reference, 'payout_settled')).toMatchObject({ money: EUR(1_000n) });
        expect(await payouts().inquire(request.reference)).toMatchObject({ kind: 'settled', money: EUR(1_000n) });
        const { batchId } = await bench.event(await batchWith(request.reference), 'settlement_batch');
        const { lines } = await bench.connector.settlementReport(batchId!);
        expect(lines.filter(({ reference }) => reference === request.reference)).toMatchObject([
          { kind: 'refund', paymentReference: request.reference, money: EUR(1_000n), feeMinor: 0n },
        ]);
      });

      /** The batch whose report has the transfer. */
      const batchWith = async (reference: string): Promise<string> => {
        for (;;) {
          for (const batchId of await bench.connector.settlementBatches(new Date(0).toISOString())) {
            const { lines } = await bench.connector.settlementReport(batchId);
            if (lines.some((line) => line.reference === reference)) return batchId;
          }
        }
      };

      it('are refused at once, or come back, by the ending of the account number', async () => {
        const refused = order('02');
        expect(await payouts().send(refused)).toMatchObject({ kind: 'declined', detail: 'there is no such account' });
        expect(await payouts().inquire(refused.reference)).toMatchObject({ kind: 'declined' });
        const returned = order('04');
        expect((await payouts().send(returned)).kind).toBe('accepted');
        expect(await bench.event(returned.reference, 'payout_returned')).toMatchObject({
          reason: 'the account is closed',
        });
        expect(await payouts().inquire(returned.reference)).toMatchObject({ kind: 'returned', money: EUR(1_000n) });
      });

      it('stay unknown without an answer, and are found by asking', async () => {
        const silent = order('75');
        expect((await bench.impatient.payouts!.send(silent)).kind).toBe('unknown');
        expect(['accepted', 'settled']).toContain((await payouts().inquire(silent.reference)).kind);
        const closed = order('19');
        expect((await payouts().send(closed)).kind).toBe('unknown');
        expect(await payouts().inquire(closed.reference)).toEqual({ kind: 'not_found' });
      });

      it('are not sent for another order under the same key, nor twice under one reference', async () => {
        const request = order();
        await payouts().send(request);
        const other = { ...request, money: EUR(2_000n) };
        expect((await payouts().send(other)).kind).toBe('unknown');
        expect((await payouts().send({ ...request, idempotencyKey: key() })).kind).toBe('unknown');
        expect(await atProcessor(request.reference)).toHaveLength(1);
      });

      const sentOf = (estado: string, more: Record<string, string> = {}) =>
        xml('transferencia_emitida', {
          id: 'ts_1',
          referencia: 'pot_1',
          estado,
          valor: '10,00',
          moeda: 'EUR',
          ...more,
        });

      it.each([
        [{ status: 200, body: sentOf('em_curso') }, 'accepted'],
        [{ status: 200, body: sentOf('liquidada') }, 'settled'],
        [{ status: 200, body: sentOf('devolvida', { motivo: 'constructor' }) }, 'returned'],
        [{ status: 200, body: sentOf('recusada') }, 'declined'],
        [{ status: 200, body: sentOf('em_analise') }, 'unknown'],
        [{ status: 200, body: sentOf('liquidada', { referencia: 'pot_2' }) }, 'unknown'],
        [{ status: 200, body: sentOf('liquidada', { valor: '10.00' }) }, 'unknown'],
        [{ status: 200, body: '' }, 'unknown'],
        [{ status: 404, body: '' }, 'not_found'],
        [{ status: 429, body: '' }, 'unknown'],
        [{ status: 500, body: '' }, 'unknown'],
      ])('%j means %s', async (answer, kind) => {
        expect((await bench.asking(answer).payouts!.inquire('pot_1')).kind).toBe(kind);
      });

      it.each([
        [400, 'not_understood'],
        [422, 'not_understood'],
        [429, 'not_taken'],
        [404, 'not_found'],
        [409, 'unknown'],
        [503, 'unknown'],
      ])('an order that is answered %d is %s', async (status, kind) => {
        const connector = bench.asking({ status, body: '' });
        expect((await connector.payouts!.send(order('00', { reference: 'pot_1' }))).kind).toBe(kind);
      });
    });

    it('serves nothing else', async () => {
      const answer = await bench.connector.authorize(bench.cardOrder('4111111111111111'));
      expect(answer.kind).toBe('not_charged');
    });
  });
});
