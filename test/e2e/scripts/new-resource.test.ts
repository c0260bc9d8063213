import { TreeCopy } from '../../setup/tree-copy';

const MINUTES = 60_000;

let copy: TreeCopy;

beforeAll(() => {
  copy = new TreeCopy('new-resource');
});
afterAll(() => copy.remove());

const create = (...given: string[]) => copy.run('scripts/new-resource.mjs', ...given);

describe('npm run new-resource', () => {
  it.each([
    [[]],
    [['a']],
    [['Voucher']],
    [['../voucher']],
    [['delete']],
    [['payment']],
    [['activation']],
    [['voucher', '--shelf', 'sandbox']],
    [['voucher', '--prefix', 'pay']],
    [['voucher', '--colour', 'red']],
  ])('refuses %j, and writes nothing', (given) => {
    const before = copy.read('src/domain/flows.ts');
    expect(create(...given)).toMatchObject({ status: 1, output: expect.stringMatching(/^new-resource: .+\n$/) });
    expect(copy.read('src/domain/flows.ts')).toBe(before);
  });

  it(
    'writes two resources, on a new shelf and on an old one, that work from end to end',
    () => {
      expect(create('gift-voucher')).toMatchObject({
        status: 0,
        output: expect.stringContaining('src/commerce/gift-vouchers/gift-voucher.ts'),
      });
      expect(create('entry', '--shelf', 'money', '--prefix', 'enr')).toMatchObject({
        status: 0,
        output: expect.stringContaining('src/money/entries/entry.ts'),
      });
      expect(copy.read('src/domain/ids.ts')).toMatch(/^ {2}giftVoucher: 'gvc',\n {2}entry: 'enr',$/m);
      expect(copy.typecheck()).toEqual({ status: 0, output: '' });
      expect(copy.lint('src', 'workflows', 'activities', 'workers', 'test')).toMatchObject({ status: 0 });
      expect(copy.run('scripts/openapi.mjs')).toMatchObject({ status: 0 });
      expect(copy.read('docs/openapi.json')).toContain('"/entries/1.0.0/entries/{entryId}/approve"');
      const tests = copy.test(
        '--silent',
        ...['test/unit/domain/gift-voucher-states.test.ts', 'test/unit/domain/entry-states.test.ts'],
        ...['test/integration/commerce/gift-vouchers', 'test/integration/money/entries'],
        ...['test/e2e/gift-vouchers.test.ts', 'test/e2e/entries.test.ts'],
        ...['test/unit/docs/contributing.test.ts', 'test/unit/workers'],
      );
      expect(tests.output).toMatch(/Test Suites: +8 passed, 8 total/);
      expect(tests.status).toBe(0);
      const directions = copy.test('test/unit/house/direction', '-t', 'imports');
      expect(directions.output).toMatch(/Tests: .*2 passed/);
    },
    10 * MINUTES,
  );

  it('does not make the same twice', () => {
    expect(create('entry')).toMatchObject({ status: 1, output: expect.stringContaining('is there already') });
  });
});
