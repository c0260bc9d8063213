import { inflateSync } from 'node:zlib';

/**
 * What a PDF of ours shows. Its strings are numbers of letters in a font that has only the letters in use; each font brings a
 * table (ToUnicode) of what they mean.
 */
export async function readPaper(
  chunks: AsyncIterable<Uint8Array> | Uint8Array,
): Promise<{ pages: number; text: string }> {
  const parts: Uint8Array[] = [];
  if (chunks instanceof Uint8Array) parts.push(chunks);
  else for await (const chunk of chunks) parts.push(chunk);
  const pdf = Buffer.concat(parts).toString('latin1');
  expect(pdf.startsWith('%PDF-')).toBe(true);
  expect(pdf.trimEnd().endsWith('%%EOF')).toBe(true);

  const objects = new Map([...pdf.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj$/gm)].map(([, id, body]) => [id!, body!]));
  const contentOf = (body: string) => {
    const content = Buffer.from(/stream\r?\n([\s\S]*?)\r?\nendstream/.exec(body)![1]!, 'latin1');
    return (body.includes('/FlateDecode') ? inflateSync(content) : content).toString('latin1');
  };
  /** Letters by the name of a font, then by number. */
  const fonts = new Map<string, string[]>();
  for (const body of objects.values())
    for (const [, name, id] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const table = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id!)!)?.[1];
      if (table) fonts.set(name!, lettersOf(contentOf(objects.get(table)!)));
    }
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\b(?!s)/.test(body));
  const text = pages.map((page) => {
    const content = contentOf(objects.get(/\/Contents (\d+) 0 R/.exec(page)![1]!)!);
    let letters: string[] = [];
    return [...content.matchAll(/\/(F\d+) \S+ Tf|\[(.*?)\] TJ/g)]
      .map(([, font, pieces]) => {
        if (font) letters = fonts.get(font) ?? [];
        const numbers = [...(pieces ?? '').matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex]) => hex!.match(/.{4}/g) ?? []);
        return numbers.map((number) => letters[Number.parseInt(number, 16)] ?? '').join('') + (pieces ? '\n' : '');
      })
      .join('');
  });
  return { pages: pages.length, text: text.join('\f') };
}

function lettersOf(table: string): string[] {
  const letters: string[] = [];
  for (const [, from, , list] of table.matchAll(/<([0-9a-f]+)> <([0-9a-f]+)> \[(.*?)\]/g)) {
    const first = Number.parseInt(from!, 16);
    [...list!.matchAll(/<([0-9a-f ]*)>/g)].forEach(([, hex], i) => {
      letters[first + i] = Buffer.from(hex!.replaceAll(' ', ''), 'hex').swap16().toString('utf16le');
    });
  }
  return letters;
}
