import { XMLParser } from 'fast-xml-parser';
import { isValidIBAN } from 'ibantools';
import { pain001 } from '../../../../src/commerce/payouts/pain001';
import type { PayoutRow } from '../../../../src/commerce/payouts/payout';
import { statementOf } from '../../../../src/commerce/payouts/statement';
import { statementPage } from '../../../../src/commerce/payouts/statement-page';
import { statementPaper } from '../../../../src/commerce/payouts/statement-paper';
import { printed } from '../../../../src/foundation/paper/paper';
import { readPaper } from '../../../setup/paper';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const row = (overrides: Partial<PayoutRow> = {}) =>
  ({
    id: 'pot_01h455vb4pex5vsknk084sn02q',
    number: 7,
    status: 'sent',
    currency: 'EUR',
    opening_minor: 100n,
    gross_minor: 2_000n,
    fees_minor: -50n,
    refunds_minor: -300n,
    disputes_minor: 0n,
    returned_minor: 0n,
    other_minor: 0n,
    reserve_held_minor: 200n,
    reserve_released_minor: 25n,
    amount_minor: 1_500n,
    closing_minor: 75n,
    unsettled_minor: 75n,
    refunding_minor: 0n,
    period_from: NOW,
    period_to: NOW,
    send_at: NOW,
    created_at: NOW,
    ...overrides,
  }) as PayoutRow;
const creditor = { iban: 'DE89370400440532013000', holder: 'Müller & Söhne <GmbH>', bic: 'COBADEFFXXX' };

describe('the file for a bank', () => {
  const parse = (xml: string) =>
    new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '@',
      parseTagValue: false,
      isArray: (name) => name === 'PmtInf' || name === 'CdtTrfTxInf',
    }).parse(xml).Document;

  test('has what the standard requires, and names each payout end to end', () => {
    const second = { payout: row({ id: 'pot_2', amount_minor: 1n }), creditor: { ...creditor, bic: null } };
    const xml = pain001({ name: 'The Tenant', id: 'ten_1' }, [{ payout: row(), creditor }, second], NOW);
    expect(xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>')).toBe(true);
    const document = parse(xml);
    expect(document['@xmlns']).toBe('urn:iso:std:iso:20022:tech:xsd:pain.001.001.09');
    const { GrpHdr, PmtInf } = document.CstmrCdtTrfInitn;
    expect(GrpHdr).toMatchObject({ NbOfTxs: '2', CreDtTm: NOW.toISOString(), InitgPty: { Nm: 'The Tenant' } });
    expect(GrpHdr.MsgId.length).toBeLessThanOrEqual(35);
    expect(PmtInf).toHaveLength(1);
    const [block] = PmtInf;
    expect(block).toMatchObject({
      PmtMtd: 'TRF',
      NbOfTxs: '2',
      CtrlSum: '15.01',
      PmtTpInf: { SvcLvl: { Cd: 'SEPA' } },
      ReqdExctnDt: { Dt: '2026-11-22' },
    });
    const [one, other] = block.CdtTrfTxInf;
    expect(one).toMatchObject({
      PmtId: { EndToEndId: row().id },
      Amt: { InstdAmt: { '@Ccy': 'EUR', '#text': '15.00' } },
      CdtrAgt: { FinInstnId: { BICFI: 'COBADEFFXXX' } },
      Cdtr: { Nm: 'Müller & Söhne <GmbH>' },
    });
    expect(isValidIBAN(one.CdtrAcct.Id.IBAN)).toBe(true);
    expect(other.CdtrAgt).toBeUndefined();
    // The order of the schema: a bank refuses any other.
    expect(Object.keys(block)).toEqual([
      ...['PmtInfId', 'PmtMtd', 'NbOfTxs', 'CtrlSum', 'PmtTpInf', 'ReqdExctnDt', 'Dbtr', 'DbtrAcct', 'DbtrAgt'],
      ...['ChrgBr', 'CdtTrfTxInf'],
    ]);
    expect(Object.keys(one)).toEqual(['PmtId', 'Amt', 'CdtrAgt', 'Cdtr', 'CdtrAcct', 'RmtInf']);
  });

  test('has a block per currency and day, and is never empty', () => {
    const yen = row({ currency: 'JPY', amount_minor: 1_500n });
    const xml = pain001(
      { name: 'T', id: 't' },
      [
        { payout: row(), creditor },
        { payout: yen, creditor },
      ],
      NOW,
    );
    const [euros, yens] = parse(xml).CstmrCdtTrfInitn.PmtInf;
    expect([euros.CtrlSum, yens.CtrlSum]).toEqual(['15.00', '1500']);
    expect(yens.PmtTpInf).toBeUndefined();
    expect(() => pain001({ name: 'T', id: 't' }, [], NOW)).toThrow(RangeError);
  });
});

describe('the statement', () => {
  const statement = statementOf(row(), 'Corner <Shop>');

  test('leads from the opening to the closing balance', () => {
    const cents = statement.lines.map(({ amount }) => Math.round(Number(amount) * 100));
    expect(cents.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(cents.at(-1));
    expect(statement.lines.at(0)).toMatchObject({ name: 'opening', amount: '1.00' });
    expect(statement.lines.find(({ name }) => name === 'reserveHeld')).toMatchObject({ amount: '-2.00' });
  });

  test('is a page that shows names as they are, and runs nothing', () => {
    const page = statementPage(statement);
    expect(page).toContain('Corner &lt;Shop&gt;');
    expect(page).not.toContain('<script');
    for (const { title, amount } of statement.lines) {
      expect(page).toContain(title);
      expect(page).toContain(`${amount} EUR`);
    }
  });

  test('is a PDF', async () => {
    const { pages, text } = await readPaper(printed(statementPaper(statement)));
    expect(pages).toBe(1);
    for (const { title, amount } of statement.lines) {
      expect(text).toContain(title);
      expect(text).toContain(`${amount} EUR`);
    }
  });
});
