import {
  type Balance,
  dayOf,
  kept,
  keptOrNothing,
  minorOf,
  type ParsedLine,
  type Part,
  refuseStatement,
} from './parsed';

/** A field of SWIFT's, and what it says over all its lines. */
interface Field {
  tag: string;
  lines: string[];
}

const MOST_LINES = 200;
const MOST_WIDTH = 1_000;

/**
 * Reads customer statements of SWIFT (MT940) as they come, a field at a time. Throws `statement_refused` where the text is no
 * such message, or is cut off.
 */
export async function* readMt940(texts: AsyncIterable<string>): AsyncGenerator<Part> {
  const reader = new Mt940Reader();
  for await (const field of fieldsOf(linesOf(texts))) {
    reader.hear(field);
    yield* reader.take();
  }
  reader.close();
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const lines = `${rest}${text}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    yield* lines;
    if (rest.length > MOST_WIDTH) refuseStatement('The file has a line that does not end');
  }
  if (rest.trim() !== '') yield rest;
}

async function* fieldsOf(lines: AsyncIterable<string>): AsyncGenerator<Field> {
  let field: Field | undefined;
  for await (const raw of lines) {
    // Blocks around the text of a message, and its end.
    const line = raw.replace(/^\{1:.*\{4:/, '').replace(/\r$/, '');
    const [, tag, text = ''] = /^:(\d{2}[A-Z]?):(.*)$/.exec(line) ?? [];
    const isEnd = /^-\}?/.test(line) || line.startsWith('{');
    if (tag !== undefined || isEnd) {
      if (field) yield field;
      field = tag === undefined ? undefined : { tag, lines: [text] };
    } else if (field) {
      field.lines.push(line);
      if (field.lines.length > MOST_LINES) refuseStatement('The file has a field that does not end');
    }
  }
  if (field) yield field;
}

class Mt940Reader {
  private readonly parts: Part[] = [];
  private reference: string | undefined;
  private account: string | undefined;
  private number: string | undefined;
  private opening: Balance | undefined;
  private line: ParsedLine | undefined;
  private state: 'outside' | 'heading' | 'inside' = 'outside';
  private statements = 0;

  take(): Part[] {
    return this.parts.splice(0);
  }

  hear({ tag, lines }: Field): void {
    const text = lines.join('').trim();
    switch (tag) {
      case '20':
        if (this.state !== 'outside') refuseStatement('A statement of the file has no closing balance');
        this.state = 'heading';
        this.reference = text;
        return;
      case '25':
      case '25P':
        this.account = lines[0]!.trim();
        return;
      case '28':
      case '28C':
        this.number = text;
        return;
      case '60F':
      case '60M':
        this.begin(text);
        return;
      case '61':
        this.beginLine(lines);
        return;
      case '86':
        if (this.line) this.describe(lines);
        return;
      case '62F':
      case '62M':
        this.end(text);
        return;
    }
  }

  close(): void {
    if (this.state !== 'outside') refuseStatement('The file is cut off: a statement has no closing balance');
    if (this.statements === 0) refuseStatement('The file has no statement in it');
  }

  private begin(text: string): void {
    if (this.state !== 'heading') refuseStatement('The file is no MT940: a balance stands where none belongs');
    this.state = 'inside';
    this.opening = balanceOf(text);
    const reference = [this.reference, this.number].filter(Boolean).join(' ');
    this.parts.push({
      kind: 'begins',
      format: 'mt940',
      account: this.account?.replace(/\s+/g, '').toUpperCase(),
      reference: keptOrNothing(reference),
    });
  }

  private end(text: string): void {
    this.endLine();
    if (this.state !== 'inside') refuseStatement('The file is no MT940: a balance stands where none belongs');
    this.state = 'outside';
    this.statements += 1;
    this.parts.push({ kind: 'ends', opening: this.opening, closing: balanceOf(text) });
  }

  private beginLine(lines: readonly string[]): void {
    this.endLine();
    if (this.state !== 'inside') refuseStatement('The file is no MT940: a line stands outside a statement');
    const [, year, month, day, entry, mark, amount, own, bank] =
      /^(\d{2})(\d{2})(\d{2})(\d{4})?(R?[CD])[A-Z]?(\d[\d,]{0,14})[A-Z][A-Z0-9]{3}(.*?)(?:\/\/(.*))?$/.exec(
        lines[0]!,
      ) ?? refuseStatement('A line of the statement cannot be read');
    // What is taken back goes the other way.
    const direction = mark === 'C' || mark === 'RD' ? 'credit' : 'debit';
    this.line = {
      direction,
      isReversal: mark!.length === 2,
      amountMinor: minorOf(pointed(amount!), this.opening!.currency),
      currency: this.opening!.currency,
      bookedOn: entryDay(dayOf(`20${year}`, month!, day!), entry),
      bankReference: keptOrNothing(bank?.toUpperCase() === 'NONREF' ? undefined : bank),
      endToEnd: own && own.trim() !== 'NONREF' ? keptOrNothing(own) : undefined,
      text: '',
    };
  }

  private describe(lines: readonly string[]): void {
    this.line = { ...this.line!, ...detailsOf(lines) };
  }

  private endLine(): void {
    if (this.line && this.line.amountMinor > 0n) this.parts.push({ kind: 'line', line: this.line });
    this.line = undefined;
  }
}

function balanceOf(text: string): Balance {
  const [, mark, year, month, day, currency, amount] =
    /^([CD])(\d{2})(\d{2})(\d{2})([A-Z]{3})([\d,]{1,15})$/.exec(text) ?? refuseStatement('A balance cannot be read');
  const minor = minorOf(pointed(amount!), currency!);
  return { amountMinor: mark === 'C' ? minor : -minor, currency: currency!, on: dayOf(`20${year}`, month!, day!) };
}

/** SWIFT writes a comma always, with or without decimals after it. */
const pointed = (amount: string) => amount.replace(',', '.');

/** The day of entry has no year: it is the one nearest to the day of value. */
function entryDay(value: string, entry: string | undefined): string {
  if (!entry) return value;
  const near = [-1, 0, 1]
    .map((more) => `${Number(value.slice(0, 4)) + more}-${entry.slice(0, 2)}-${entry.slice(2)}`)
    .filter((text) => !Number.isNaN(Date.parse(text)));
  const distance = (text: string) => Math.abs(Date.parse(text) - Date.parse(value));
  const [best] = near.sort((one, other) => distance(one) - distance(other));
  return best ? dayOf(best.slice(0, 4), best.slice(5, 7), best.slice(8)) : value;
}

type Details = Pick<ParsedLine, 'text' | 'endToEnd' | 'creditorReference' | 'payerName' | 'payerIban'>;

/** What banks write about a line: in fields with question marks, in words between slashes, or as it comes. */
function detailsOf(lines: readonly string[]): Partial<Details> & { text: string } {
  const joined = lines.join('');
  if (/^\d{3}\?\d{2}/.test(joined)) return inFields(joined);
  if (/^\/[A-Z]{3,8}\//.test(joined)) return inWords(joined);
  return { text: kept(lines.join(' ')) };
}

/** `166?00SEPA?20EREF+A1?21SVWZ+RF18…?31DE89…?32A BUYER?33 LTD` */
function inFields(text: string): Partial<Details> & { text: string } {
  const fields = new Map<string, string>();
  for (const [, tag, value] of text.matchAll(/\?(\d{2})([^?]*)/g)) fields.set(tag!, (fields.get(tag!) ?? '') + value);
  const purpose = [...fields].filter(([tag]) => /^(2\d|6[0-3])$/.test(tag)).map(([, value]) => value);
  const sepa = tagged(purpose.join(''), /(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|IBAN|BIC)\+/g);
  const iban = (fields.get('31') ?? sepa.get('IBAN'))?.replace(/\s+/g, '').toUpperCase();
  return {
    text: kept(sepa.get('SVWZ') ?? purpose.join(' ')),
    ...optional('endToEnd', sepa.get('EREF') === 'NOTPROVIDED' ? undefined : sepa.get('EREF')),
    ...optional('payerName', `${fields.get('32') ?? ''}${fields.get('33') ?? ''}`),
    ...optional('payerIban', iban),
  };
}

/** `/EREF/A1/NAME/A BUYER/IBAN/DE89…/REMI/RF18…` */
function inWords(text: string): Partial<Details> & { text: string } {
  const words = tagged(text, /\/(EREF|NAME|IBAN|REMI|BENM|ORDP|RTRN|TRCD|BIC|ISDT|CSID|MARF|PREF|SVCL|ULTD|ULTC)\//g);
  return {
    text: kept(words.get('REMI') ?? text),
    ...optional('endToEnd', words.get('EREF') === 'NOTPROVIDED' ? undefined : words.get('EREF')),
    ...optional('payerName', words.get('NAME')),
    ...optional(
      'payerIban',
      words
        .get('IBAN')
        ?.replace(/[^A-Z0-9]/gi, '')
        .toUpperCase(),
    ),
  };
}

function tagged(text: string, tags: RegExp): Map<string, string> {
  const found = new Map<string, string>();
  const marks = [...text.matchAll(tags)];
  marks.forEach((mark, index) => {
    found.set(mark[1]!, text.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? text.length));
  });
  return found;
}

function optional<Name extends keyof Details>(name: Name, value: string | undefined): Partial<Details> {
  const text = keptOrNothing(value);
  return text ? { [name]: text } : {};
}
