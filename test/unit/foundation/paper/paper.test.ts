import { type Paper, printed } from '../../../../src/foundation/paper/paper';
import { readPaper } from '../../../setup/paper';

const paper = (rows: Paper['rows'], facts: Paper['facts'] = []): Paper => ({
  title: 'Statement',
  createdAt: new Date('2026-11-22T10:00:00.000Z'),
  facts,
  columns: [
    { heading: 'What', share: 2 },
    { heading: 'Amount', share: 1, end: true },
  ],
  rows,
  note: 'Nothing is left out.',
});

describe('a paper', () => {
  test.each(['Müller & Söhne', 'Łódź', 'Ωμέγα', 'Продавец', 'Հայ', '1 234,50 €'])('shows %s', async (name) => {
    const { text } = await readPaper(printed(paper([{ cells: [name, '1.00'], strong: true }], [['Seller', name]])));
    const shown = text.replaceAll('\n', ' ');
    expect(shown).toContain(`Seller: ${name}`);
    expect(shown.split(name)).toHaveLength(3);
    expect(shown).toContain('Nothing is left out.');
  });

  test('has every row once, on pages with headings', async () => {
    const COUNT = 500;
    const rows = async function* () {
      for (let i = 0; i < COUNT; i += 1) yield { cells: [`row-${i}`, `${i}.00`] };
    };
    const { pages, text } = await readPaper(printed(paper(rows())));
    expect(pages).toBeGreaterThan(5);
    expect(text.match(/^What$/gm)).toHaveLength(pages);
    expect(text.match(/^row-\d+$/gm)).toEqual(Array.from({ length: COUNT }, (_, i) => `row-${i}`));
  });

  test('breaks off when a row cannot be read', async () => {
    const rows = async function* () {
      yield { cells: ['one', '1.00'] };
      throw new Error('the database is away');
    };
    await expect(readPaper(printed(paper(rows())))).rejects.toThrow('the database is away');
  });
});
