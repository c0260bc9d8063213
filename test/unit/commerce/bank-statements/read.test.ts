import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { CsvMapping } from '../../../../src/commerce/bank-statements/account';
import { fingerprintOf } from '../../../../src/commerce/bank-statements/fingerprint';
import type { ParsedLine, Part } from '../../../../src/commerce/bank-statements/parsed';
import { type CsvAccount, readStatements } from '../../../../src/commerce/bank-statements/read';
import { ourReference, printedReference } from '../../../../src/domain/creditor-reference';

const IBAN = 'DE89370400440532013000';
const REFERENCE = 'RF18539007547034';

async function read(
  content: string | Buffer,
  { csv, size = 65_536 }: { csv?: CsvAccount; size?: number } = {},
): Promise<Part[]> {
  const bytes = Buffer.from(content);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const parts: Part[] = [];
  for await (const part of readStatements(Readable.from(chunks), csv)) parts.push(part);
  return parts;
}

const linesOf = (parts: readonly Part[]): ParsedLine[] =>
  parts.flatMap((part) => (part.kind === 'line' ? [part.line] : []));
const refused = (content: string, csv?: CsvAccount) => expect(read(content, { csv })).rejects;

interface Camt {
  form?: string;
  version?: string;
  entries?: string;
  opening?: string;
  closing?: string;
  prefix?: string;
}

function camt({
  form = 'camt.053',
  version = '08',
  entries = '',
  opening = '100.00',
  closing = '110.00',
  prefix = '',
}: Camt = {}): string {
  const isStatement = form === 'camt.053';
  const balance = (code: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>
     <Dt><Dt>2026-11-20</Dt></Dt></Bal>`;
  const [document, one] = isStatement ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'];
  const xml = `<Document ><${document}><GrpHdr><MsgId>m1</MsgId></GrpHdr><${one}><Id>s1</Id>
    <Acct><Id><IBAN>${IBAN}</IBAN></Id></Acct>${isStatement ? balance('OPBD', opening) + balance('CLBD', closing) : ''}
    ${entries}</${one}></${document}></Document>`;
  const marked = prefix ? xml.replace(/<(\/?)([A-Z])/g, `<$1${prefix}:$2`) : xml;
  const space = `xmlns${prefix && ':'}${prefix}="urn:iso:std:iso:20022:tech:xsd:${form}.001.${version}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${marked.replace('Document >', `Document ${space}>`)}`;
}

/** As versions before 04 and since write it. */
const isOld = (version: string) => Number(version) < 4;

function entry(
  version = '08',
  { amount = '10.00', direction = 'CRDT', extra = '', details = details08(version) } = {},
): string {
  return `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${extra}
    <Sts>${isOld(version) ? 'BOOK' : '<Cd>BOOK</Cd>'}</Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt>
    <AcctSvcrRef>BANK-1</AcctSvcrRef><NtryDtls>${details}</NtryDtls></Ntry>`;
}

function details08(version: string, { amount = '', reference = REFERENCE, bank = '' } = {}): string {
  const name = '<Nm>Änne Buyer &amp; Sons</Nm>';
  return `<TxDtls><Refs>${bank && `<AcctSvcrRef>${bank}</AcctSvcrRef>`}<EndToEndId>E2E-1</EndToEndId></Refs>${
    amount &&
    (isOld(version)
      ? `<AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls>`
      : `<Amt Ccy="EUR">${amount}</Amt>`)
  }<RltdPties><Dbtr>${Number(version) >= 8 ? `<Pty>${name}</Pty>` : name}</Dbtr>
    <DbtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></DbtrAcct></RltdPties>
    <RmtInf><Ustrd>For order 1</Ustrd><Strd><CdtrRefInf><Ref>${reference}</Ref></CdtrRefInf></Strd></RmtInf></TxDtls>`;
}

const WHOLE: ParsedLine = {
  direction: 'credit',
  isReversal: false,
  amountMinor: 1_000n,
  currency: 'EUR',
  bookedOn: '2026-11-20',
  bankReference: 'BANK-1',
  endToEnd: 'E2E-1',
  creditorReference: REFERENCE,
  text: 'For order 1',
  payerName: 'Änne Buyer & Sons',
  payerIban: 'FR1420041010050500013M02606',
};

describe('camt', () => {
  for (const form of ['camt.053', 'camt.054'])
    test.each(['02', '04', '08'])(`${form}.001.%s says what it says`, async (version) => {
      const parts = await read(camt({ form, version, entries: entry(version) }));
      expect(parts[0]).toEqual({ kind: 'begins', format: form, version, account: IBAN, reference: 's1' });
      expect(linesOf(parts)).toEqual([WHOLE]);
      const balance = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR', on: '2026-11-20' });
      const balances = form === 'camt.053' ? { opening: balance(10_000n), closing: balance(11_000n) } : {};
      expect(parts.at(-1)).toEqual({ kind: 'ends', ...balances });
    });

  test('prefixes of names change nothing', async () => {
    expect(await read(camt({ prefix: 'ns2', entries: entry() }))).toEqual(await read(camt({ entries: entry() })));
  });

  test('it is read the same in pieces of any size', async () => {
    const text = camt({ entries: entry() + entry('08', { direction: 'DBIT' }) });
    const whole = await read(text);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (size) =>
        expect(await read(text, { size })).toEqual(whole),
      ),
      { numRuns: 30 },
    );
  });

  test.each(['02', '08'])('an entry of several transactions is several lines, in version %s', async (version) => {
    const several = ['4.00', '5.00', '1.00'].map((amount, at) =>
      details08(version, { amount, bank: at === 1 ? 'TX-2' : '', reference: `R${at}` }),
    );
    const lines = linesOf(await read(camt({ version, entries: entry(version, { details: several.join('') }) })));
    expect(lines.map(({ amountMinor, bankReference }) => [amountMinor, bankReference])).toEqual([
      [400n, 'BANK-1/1'],
      [500n, 'TX-2'],
      [100n, 'BANK-1/3'],
    ]);
    const wrong = entry(version, { amount: '10.01', details: several.join('') });
    await refused(camt({ version, entries: wrong })).toMatchObject({ code: 'statement_refused' });
  });

  test('what is pending is no line, and what is taken back says so', async () => {
    const pending = entry().replace('<Cd>BOOK</Cd>', '<Cd>PDNG</Cd>');
    const reversal = entry('08', { direction: 'DBIT', extra: '<RvslInd>true</RvslInd>' });
    const lines = linesOf(await read(camt({ entries: pending + reversal })));
    expect(lines).toMatchObject([{ direction: 'debit', isReversal: true }]);
  });

  test.each<[string, string]>([
    [
      'a document type, and its entities',
      camt().replace('<Document', '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Document'),
    ],
    ['a file that is cut off', camt({ entries: entry() }).slice(0, -40)],
    ['another document', camt().replaceAll('camt.053.001.08', 'pain.001.001.09')],
    ['a version that nobody has read', camt({ version: '99' })],
    ['an entity that nobody declared', camt({ entries: entry().replace('&amp;', '&boom;') })],
    ['an amount that is none', camt({ entries: entry('08', { amount: '1e5' }) })],
    ['too many decimals', camt({ entries: entry('08', { amount: '10.001' }) })],
    ['a day that is none', camt({ entries: entry().replace('<Dt>2026-11-20', '<Dt>2026-02-30') })],
    ['nesting without end', camt({ entries: `<Ntry>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</Ntry>` })],
    ['a text without end', camt({ entries: `<Ntry><AddtlNtryInf>${'x'.repeat(20_000)}</AddtlNtryInf></Ntry>` })],
    ['a comment without end', camt({ entries: `<!--${'x'.repeat(2_000_000)}-->` })],
    ['an encoding that is not the one it names', camt({ entries: entry() }).replace('UTF-8', 'UTF-16')],
  ])('%s is refused', async (_name, text) => {
    await refused(text).toMatchObject({ code: 'statement_refused' });
  });

  test('Latin letters are read in the encoding that the file names', async () => {
    const text = camt({ entries: entry() }).replace('UTF-8', 'ISO-8859-1');
    expect(linesOf(await read(Buffer.from(text, 'latin1')))).toEqual([WHOLE]);
  });
});

describe('MT940', () => {
  const mt940 = (lines: string[], closing = 'C261120EUR110,00') =>
    [
      ':20:STARTUMSE',
      `:25:${IBAN}`,
      ':28C:00001/001',
      ':60F:C261119EUR100,',
      ...lines,
      `:62F:${closing}`,
      '-',
      '',
    ].join('\r\n');
  const LINE = ':61:2611201120CR10,00N051NONREF//BANK-1';
  const GERMAN = [
    ':86:166?00SEPA-GUTSCHRIFT?20EREF+E2E-1?21SVWZ+For order RF18 539?2200754 7034',
    '?30COBADEFFXXX?31FR1420041010050500013M02606?32Anne Buyer and S?33ons',
  ];

  test('a line with its fields', async () => {
    const parts = await read(mt940([LINE, ...GERMAN]));
    expect(parts[0]).toEqual({ kind: 'begins', format: 'mt940', account: IBAN, reference: 'STARTUMSE 00001/001' });
    expect(linesOf(parts)).toEqual(
      [
        {
          ...WHOLE,
          text: 'For order RF18 53900754 7034',
          payerName: 'Anne Buyer and Sons',
          creditorReference: undefined,
        },
      ].map(({ creditorReference: _none, ...line }) => line),
    );
    expect(parts.at(-1)).toMatchObject({
      opening: { amountMinor: 10_000n, on: '2026-11-19' },
      closing: { amountMinor: 11_000n },
    });
  });

  test('words between slashes, and text as it comes', async () => {
    const words = mt940([LINE, ':86:/EREF/E2E-1/NAME/A Buyer/IBAN/FR1420041010050500013M02606/REMI/RF18539007547034/']);
    expect(linesOf(await read(words))).toMatchObject([
      { payerName: 'A Buyer', endToEnd: 'E2E-1', text: 'RF18539007547034/' },
    ]);
    expect(linesOf(await read(mt940([LINE, ':86:Payment', 'RF18539007547034'])))).toMatchObject([
      { text: 'Payment RF18539007547034' },
    ]);
  });

  test('debits, and what is taken back, go the way that they say', async () => {
    const marks = ['C', 'D', 'RC', 'RD'].map((mark) => `:61:261120${mark}10,NTRFNONREF`);
    expect(linesOf(await read(mt940(marks))).map(({ direction, isReversal }) => [direction, isReversal])).toEqual([
      ['credit', false],
      ['debit', false],
      ['debit', true],
      ['credit', true],
    ]);
  });

  test('the day of entry is of the year that is nearest', async () => {
    expect(linesOf(await read(mt940([':61:2612310102C10,00NTRFX'])))).toMatchObject([{ bookedOn: '2027-01-02' }]);
    expect(linesOf(await read(mt940([':61:2701021231C10,00NTRFX'])))).toMatchObject([{ bookedOn: '2026-12-31' }]);
  });

  test('several statements in one file, with the blocks of SWIFT around them', async () => {
    const one = `{1:F01BANKDEFFXXXX0000000000}{2:O940}{4:\r\n${mt940([LINE]).replace(/-\r\n$/, '-}')}`;
    const parts = await read(`${one}\r\n${one}`);
    expect(parts.filter(({ kind }) => kind === 'begins')).toHaveLength(2);
    expect(linesOf(parts)).toHaveLength(2);
  });

  test.each<[string, string]>([
    ['a statement without its end', mt940([LINE]).split(':62F:')[0]!],
    ['a line that is none', mt940([':61:nonsense'])],
    ['a balance that is none', mt940([], 'X')],
    ['a line before its statement', ':20:A\r\n:61:2611201120CR10,00N051NONREF\r\n'],
  ])('%s is refused', async (_name, text) => {
    await refused(text).toMatchObject({ code: 'statement_refused' });
  });
});

describe('CSV', () => {
  const mapping: CsvMapping = {
    delimiter: ';',
    decimal: ',',
    dateForm: 'DD.MM.YYYY',
    skipLines: 1,
    columns: { date: 'Tag', amount: 'Betrag', text: 'Zweck', payerName: 'Name', payerIban: 'Konto', id: 'Nummer' },
  };
  const csv = { mapping, currency: 'EUR' };
  const HEAD = 'Umsätze\nTag;Betrag;Zweck;Name;Konto;Nummer\n';

  test('by the mapping of the account', async () => {
    const rows =
      '20.11.2026;1.210,00;"RF18 5390; 0754";Anne;FR14 2004 1010 0505 0001 3M02 606;B1\n21.11.2026;-5;Fee;;;\n';
    const parts = await read(HEAD + rows, { csv });
    expect(parts[0]).toEqual({ kind: 'begins', format: 'csv' });
    expect(linesOf(parts)).toMatchObject([
      {
        direction: 'credit',
        amountMinor: 121_000n,
        bookedOn: '2026-11-20',
        text: 'RF18 5390; 0754',
        bankReference: 'B1',
      },
      { direction: 'debit', amountMinor: 500n, bookedOn: '2026-11-21' },
    ]);
    expect(linesOf(parts)[0]!.payerIban).toBe('FR1420041010050500013M02606');
  });

  test('one column for each direction', async () => {
    const { amount: _amount, ...columns } = mapping.columns;
    const two: CsvMapping = {
      ...mapping,
      decimal: '.',
      dateForm: 'MM/DD/YYYY',
      columns: { ...columns, credit: 'Betrag', debit: 'Nummer', id: undefined },
    };
    const parts = await read(`${HEAD}11/20/2026;1,210.50;a;;;\n11/20/2026;;b;;;7.00\n`, {
      csv: { ...csv, mapping: two },
    });
    expect(linesOf(parts)).toMatchObject([
      { direction: 'credit', amountMinor: 121_050n },
      { direction: 'debit', amountMinor: 700n },
    ]);
  });

  test.each<[string, string]>([
    ['a column that is not there', 'x\nTag;Betrag\n20.11.2026;1,00\n'],
    ['an amount that is none', `${HEAD}20.11.2026;1,00x;a;;;\n`],
    ['a date of another form', `${HEAD}2026-11-20;1,00;a;;;\n`],
    ['a quotation without end', `${HEAD}20.11.2026;1,00;"a;;;\n`],
    ['a file without lines', HEAD],
  ])('%s is refused', async (_name, text) => {
    await refused(text, csv).toMatchObject({ code: 'statement_refused' });
  });

  test('without a mapping it is refused', async () => {
    await refused(`${HEAD}20.11.2026;1,00;a;;;\n`).toMatchObject({ code: 'statement_refused' });
  });
});

test('a line has the same fingerprint in every format', async () => {
  const ours = ourReference(539_007_547_034n);
  const [inXml] = linesOf(await read(camt({ entries: entry().replace(REFERENCE, ours) })));
  const typed = printedReference(ours).replaceAll(' ', '-').toLowerCase();
  const mt940 = [
    ':20:A',
    ':25:1',
    ':60F:C261119EUR0,',
    ':61:2611201120CR10,00N051NONREF',
    `:86:${typed} thanks`,
    ':62F:C261120EUR10,',
  ];
  const [inMt940] = linesOf(await read(mt940.join('\n')));
  expect(fingerprintOf(inMt940!)).toEqual(fingerprintOf(inXml!));
  expect(fingerprintOf({ ...inXml!, amountMinor: 1_001n })).not.toEqual(fingerprintOf(inXml!));
});
