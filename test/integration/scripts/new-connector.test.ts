import { TreeCopy } from '../../setup/tree-copy';

const MINUTES = 60_000;

let copy: TreeCopy;

beforeAll(() => {
  copy = new TreeCopy('new-connector');
});
afterAll(() => copy.remove());

const create = (...names: string[]) => copy.run('scripts/new-connector.mjs', ...names);

describe('npm run new-connector', () => {
  it.each([[''], ['a'], ['Acme'], ['acme2'], ['../acme'], ['sim'], ['stripe']])(
    'refuses %j, and writes nothing',
    (name) => {
      const before = copy.read('src/edge/processors/registry.ts');
      expect(create(name).status).toBe(1);
      expect(copy.read('src/edge/processors/registry.ts')).toBe(before);
    },
  );

  it(
    'writes a connector that is registered, type-checks, is formatted and passes the suite',
    () => {
      expect(create('acme')).toMatchObject({
        status: 0,
        output: expect.stringContaining('src/edge/processors/acme/index.ts'),
      });
      expect(copy.read('src/domain/connector.ts')).toMatch(/SIMULATED_PROCESSORS = \['a',.* 'acme'\] as const/);
      expect(copy.read('src/edge/processors/registry.ts')).toMatch(/^ {2}acme: createConnectorAcme,$/m);
      expect(copy.read('src/sandbox/simulator/app.ts')).toContain('processorAcme');
      expect(copy.read('src/api/server/outside-operations.ts')).toContain("name: 'processor_acme'");
      expect(copy.read('src/sandbox/seed/processor-fee-terms.ts')).toMatch(/^ {2}acme: 200,$/m);
      expect(copy.typecheck()).toEqual({ status: 0, output: '' });
      const sources = ['src/domain', 'src/edge/processors', 'src/sandbox', 'src/api', 'test/unit/edge/processors'];
      expect(copy.lint(...sources)).toMatchObject({ status: 0 });
      const suite = copy.test('test/unit/edge/processors/acme.test.ts');
      expect(suite.output).toMatch(/Tests: +[1-9]\d+ passed/);
      expect(suite.status).toBe(0);
    },
    5 * MINUTES,
  );

  it('makes another one beside it, but not the same twice', () => {
    expect(create('acme')).toMatchObject({ status: 1, output: expect.stringContaining('is there already') });
    expect(create('zenith').status).toBe(0);
    expect(copy.read('src/edge/processors/registry.ts')).toContain('zenith: createConnectorZenith');
  });
});
