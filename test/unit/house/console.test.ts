import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectRoot } from '../../setup/project';

const CONSOLE = 'src/web/console';
/** Folders that areas stand on. Areas do not import each other. */
const BELOW = ['parts', 'server', 'session', 'words', 'look'];
/** The same in every language. */
const NAMES = ['Tillway', 'IBAN', 'BIC'];
const MOST_LINES = 400;

const files = readdirSync(join(projectRoot, CONSOLE), { recursive: true })
  .map((name) => join(CONSOLE, String(name)))
  .filter((name) => /\.tsx?$/.test(name));
const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

const imports = files.flatMap((from) =>
  [...read(from).matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)].map(([, path]) => ({
    from,
    to: normalize(join(dirname(from), path!)),
  })),
);
const folderOf = (file: string) => /^src\/web\/console\/([\w-]+)\//.exec(file)?.[1];

describe('the house of the console', () => {
  it('is read whole', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(imports.length).toBeGreaterThan(50);
  });

  it('imports nothing from the programs of the server', () => {
    expect(imports.filter(({ to }) => !to.startsWith(`${CONSOLE}/`))).toEqual([]);
  });

  it('has no import from one area into another', () => {
    const across = imports.filter(({ from, to }) => {
      const [one, other] = [folderOf(from), folderOf(to)];
      return one && other && one !== other && !BELOW.includes(other);
    });
    expect(across).toEqual([]);
  });

  it('writes no text that a person reads outside the words', () => {
    const spoken = files
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) =>
        [...read(file).matchAll(/(?:label|title|placeholder|helperText|aria-label)="([^"]+)"/g)].map(([, text]) => [
          file,
          text!,
        ]),
      )
      // A key of the words has a dot and no blank.
      .filter(([, text]) => !/^[\w-]+(\.[\w-]+)+$/.test(text!) && !NAMES.includes(text!));
    expect(spoken).toEqual([]);
  });

  it('names states in one place', () => {
    const elsewhere = files.filter(
      (file) => !file.endsWith('words/statuses.ts') && /^ {4}status: \{/m.test(read(file)),
    );
    expect(elsewhere).toEqual([]);
  });

  it('has no file of more than 400 lines', () => {
    expect(files.filter((file) => read(file).trimEnd().split('\n').length > MOST_LINES)).toEqual([]);
  });
});
