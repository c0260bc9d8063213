import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { Money } from '../../domain/money';
import {
  type Balance,
  dayOf,
  type Format,
  kept,
  keptOrNothing,
  minorOf,
  type ParsedLine,
  type Part,
  refuseStatement,
} from './parsed';

/** One element with what is in it. Names without their prefix. */
interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
}

/** More than any bank writes, and little enough to stay small whatever somebody sends. */
const MOST_DEPTH = 40;
const MOST_TEXT = 10_000;
const MOST_KEPT = 5_000;
/** Characters of one token: a comment or an attribute without end would fill the memory. */
const MOST_TOKEN = 1_000_000;

/** The forms of camt.053 and camt.054 that are known to be read alike. */
const KNOWN = /^urn:iso:std:iso:20022:tech:xsd:(camt\.05[34])\.001\.(\d{2})$/;
const VERSIONS = new Set(['02', '03', '04', '05', '06', '07', '08', '09', '10']);

/**
 * Reads ISO 20022 statements (camt.053) and credit notifications (camt.054) as they come, an entry at a time. Throws
 * `statement_refused` where the text is no such document, or is cut off.
 */
export async function* readCamt(texts: AsyncIterable<string>): AsyncGenerator<Part> {
  const reader = new CamtReader();
  for await (const text of texts) {
    // In pieces, so that a token without end is noticed.
    for (let at = 0; at < text.length; at += 65_536) {
      reader.write(text.slice(at, at + 65_536));
      yield* reader.take();
    }
  }
  reader.close();
  yield* reader.take();
}

/** An entry whose transactions are being read. The first waits for the second: one alone is the entry itself. */
interface OpenEntry {
  held?: Element;
  transactions: number;
  /** Signed sum of those that were read. */
  sumMinor: bigint;
}

class CamtReader {
  private readonly parser = new SaxesParser({ xmlns: false, position: false });
  private readonly path: Element[] = [];
  private readonly parts: Part[] = [];
  private kept = 0;
  private sinceToken = 0;
  private form: { format: Format; version: string } | undefined;
  private statement: Element | undefined;
  private hasBegun = false;
  private entry: OpenEntry | undefined;

  constructor() {
    this.parser.on('error', () => refuseStatement('The file is not well-formed XML, or is cut off'));
    // Nothing of ours needs a document type, and its entities are a known way to do harm.
    this.parser.on('doctype', () => refuseStatement('The file has a document type, which a statement has not'));
    this.parser.on('opentag', (tag) => this.open(tag as SaxesTagPlain));
    this.parser.on('closetag', () => this.close_());
    this.parser.on('text', (text) => this.addText(text));
    this.parser.on('cdata', (text) => this.addText(text));
    this.parser.on('comment', () => {
      this.sinceToken = 0;
    });
  }

  write(text: string): void {
    this.sinceToken += text.length;
    if (this.sinceToken > MOST_TOKEN) refuseStatement('The file has something in it that does not end');
    this.parser.write(text);
  }

  close(): void {
    this.parser.close();
    if (!this.form) refuseStatement('The file has no statement in it');
  }

  take(): Part[] {
    return this.parts.splice(0);
  }

  private open({ name, attributes }: SaxesTagPlain): void {
    this.sinceToken = 0;
    if (this.path.length === 0) this.form = formOf(attributes);
    if (this.path.length >= MOST_DEPTH) refuseStatement('The file is nested too deeply');
    this.kept += 1;
    if (this.kept > MOST_KEPT) refuseStatement('A part of the file has too much in it');
    const element = { name: name.slice(name.indexOf(':') + 1), attributes, text: '', children: [] };
    this.path.push(element);
    if (this.isAt('Stmt') || this.isAt('Ntfctn')) {
      this.statement = element;
      this.hasBegun = false;
    } else if (this.isAt('Ntry')) {
      this.begin();
      this.entry = { transactions: 0, sumMinor: 0n };
    }
  }

  private addText(text: string): void {
    this.sinceToken = 0;
    const element = this.path.at(-1);
    if (!element) return;
    element.text += text;
    if (element.text.length > MOST_TEXT) refuseStatement('The file has a text that is too long');
  }

  private close_(): void {
    const isStatement = this.isAt('Stmt') || this.isAt('Ntfctn');
    const isEntry = this.isAt('Ntry');
    const isTransaction = this.isAt('TxDtls') && this.entry !== undefined;
    const element = this.path.pop()!;
    this.sinceToken = 0;
    if (isTransaction) this.endTransaction(element);
    else if (isEntry) this.endEntry(element);
    else if (isStatement) this.endStatement();
    else {
      // An entry that waits for its transactions is in no list of its statement.
      this.path.at(-1)?.children.push(element);
      return;
    }
    if (!isTransaction || this.entry?.held !== element) this.kept -= sizeOf(element);
  }

  /** Whether the element that is open is this one, where it belongs. */
  private isAt(name: string): boolean {
    const at = this.path.at(-1);
    if (at?.name !== name) return false;
    if (name === 'Stmt' || name === 'Ntfctn') return this.path.length === 3;
    if (name === 'Ntry') return this.path.length === 4 && this.path[2] === this.statement;
    return this.path.length === 6 && this.path[3]?.name === 'Ntry';
  }

  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const statement = this.statement!;
    const id = child(child(statement, 'Acct'), 'Id');
    this.parts.push({
      kind: 'begins',
      ...this.form!,
      account: (textOf(id, 'IBAN') ?? textOf(child(id, 'Othr'), 'Id'))?.replace(/\s+/g, '').toUpperCase(),
      reference: keptOrNothing(textOf(statement, 'Id')),
    });
  }

  private endTransaction(transaction: Element): void {
    const entry = this.entry!;
    entry.transactions += 1;
    if (entry.transactions === 1) {
      entry.held = transaction;
      return;
    }
    const header = this.path.find(({ name }) => name === 'Ntry')!;
    if (entry.held) {
      this.add(header, entry.held, 1);
      this.kept -= sizeOf(entry.held);
      entry.held = undefined;
    }
    this.add(header, transaction, entry.transactions);
  }

  private endEntry(header: Element): void {
    const { held, transactions, sumMinor } = this.entry!;
    this.entry = undefined;
    if (held) this.kept -= sizeOf(held);
    if (!isBooked(header)) return;
    if (transactions <= 1) {
      const line = this.lineOf(header, held, undefined);
      if (line) this.parts.push({ kind: 'line', line });
      return;
    }
    const whole = moneyOf(child(header, 'Amt'));
    if (!whole || signed(directionOf(header), whole.amountMinor) !== sumMinor)
      refuseStatement('The transactions of an entry are not its amount');
  }

  private add(header: Element, transaction: Element, index: number): void {
    if (!isBooked(header)) return;
    const line = this.lineOf(header, transaction, index);
    if (!line) return;
    this.entry!.sumMinor += signed(line.direction, line.amountMinor);
    this.parts.push({ kind: 'line', line });
  }

  /** `index`: of a transaction among several of an entry. Undefined where nothing moved. */
  private lineOf(header: Element, transaction: Element | undefined, index: number | undefined): ParsedLine | undefined {
    const ofEntry = textOf(header, 'AcctSvcrRef');
    const ofTransaction = textOf(child(transaction, 'Refs'), 'AcctSvcrRef');
    const amount =
      index === undefined ? child(header, 'Amt') : (child(transaction, 'Amt') ?? transactionAmount(transaction));
    const money = moneyOf(amount);
    if (!money) return refuseStatement('A transaction of an entry has no amount');
    if (money.amountMinor === 0n) return undefined;
    const direction = directionOf(index === undefined || !child(transaction, 'CdtDbtInd') ? header : transaction!);
    const parties = child(transaction, 'RltdPties');
    const side = direction === 'credit' ? 'Dbtr' : 'Cdtr';
    const party = child(parties, side);
    const remittance = child(transaction, 'RmtInf');
    const texts = remittance?.children.filter(({ name }) => name === 'Ustrd').map(({ text }) => text) ?? [];
    return {
      direction,
      isReversal: textOf(header, 'RvslInd') === 'true',
      ...money,
      bookedOn: dateOf(child(header, 'BookgDt') ?? child(header, 'ValDt')),
      bankReference: keptOrNothing(
        index === undefined ? (ofEntry ?? ofTransaction) : (ofTransaction ?? (ofEntry && `${ofEntry}/${index}`)),
      ),
      endToEnd: provided(textOf(child(transaction, 'Refs'), 'EndToEndId')),
      creditorReference: keptOrNothing(textOf(child(child(remittance, 'Strd'), 'CdtrRefInf'), 'Ref')),
      text: kept(texts.length > 0 ? texts.join(' ') : (textOf(header, 'AddtlNtryInf') ?? '')),
      payerName: keptOrNothing(textOf(child(party, 'Pty'), 'Nm') ?? textOf(party, 'Nm')),
      payerIban: textOf(child(child(parties, `${side}Acct`), 'Id'), 'IBAN')
        ?.replace(/\s+/g, '')
        .toUpperCase(),
    };
  }

  private endStatement(): void {
    this.begin();
    const statement = this.statement!;
    const isNotification = this.form!.format === 'camt.054';
    this.parts.push(
      isNotification
        ? { kind: 'ends' }
        : { kind: 'ends', opening: balanceOf(statement, ['OPBD', 'PRCD']), closing: balanceOf(statement, ['CLBD']) },
    );
    this.statement = undefined;
  }
}

function balanceOf(statement: Element, codes: readonly string[]): Balance | undefined {
  for (const code of codes) {
    const found = statement.children.find(
      (one) => one.name === 'Bal' && textOf(child(child(one, 'Tp'), 'CdOrPrtry'), 'Cd') === code,
    );
    const money = moneyOf(child(found, 'Amt'));
    if (found && money)
      return { ...money, amountMinor: signed(directionOf(found), money.amountMinor), on: dateOf(child(found, 'Dt')) };
  }
  return undefined;
}

function moneyOf(amount: Element | undefined): Money | undefined {
  if (!amount) return undefined;
  const currency = amount.attributes.Ccy ?? '';
  return { amountMinor: minorOf(amount.text.trim(), currency), currency };
}

function formOf(attributes: Record<string, string>): { format: Format; version: string } {
  for (const [name, value] of Object.entries(attributes)) {
    const [, format, version] = (name === 'xmlns' || name.startsWith('xmlns:') ? KNOWN.exec(value) : null) ?? [];
    if (format && version && VERSIONS.has(version)) return { format: format as Format, version };
  }
  return refuseStatement('The XML is no camt.053 or camt.054 of a version that is known here');
}

function child(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((one) => one.name === name);
}

function textOf(element: Element | undefined, name: string): string | undefined {
  return child(element, name)?.text.trim() || undefined;
}

const sizeOf = (element: Element): number => element.children.reduce((sum, one) => sum + sizeOf(one), 1);

const signed = (direction: ParsedLine['direction'], minor: bigint) => (direction === 'credit' ? minor : -minor);

/** What is only announced is not booked here. Later versions put the code into an element of its own. */
function isBooked(header: Element): boolean {
  const status = child(header, 'Sts');
  return (textOf(status, 'Cd') ?? status?.text.trim()) === 'BOOK';
}

function directionOf(element: Element): ParsedLine['direction'] {
  const word = textOf(element, 'CdtDbtInd');
  if (word === 'CRDT') return 'credit';
  return word === 'DBIT' ? 'debit' : refuseStatement('An entry does not say whether it is a credit or a debit');
}

/** Versions before 04 have the amount of a transaction here alone. */
function transactionAmount(transaction: Element | undefined): Element | undefined {
  return child(child(child(transaction, 'AmtDtls'), 'TxAmt'), 'Amt');
}

function dateOf(element: Element | undefined): string {
  const text = textOf(element, 'Dt') ?? textOf(element, 'DtTm')?.slice(0, 10) ?? '';
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  return dayOf(year ?? '', month ?? '', day ?? '');
}

/** Banks write this where the payer gave none. */
function provided(text: string | undefined): string | undefined {
  return text === 'NOTPROVIDED' ? undefined : keptOrNothing(text);
}
