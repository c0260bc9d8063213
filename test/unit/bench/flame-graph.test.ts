import { flameGraph, fold, type Profile } from '../../../bench/flame-graph';

const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber });
const PROFILE: Profile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 5, 6] },
    { id: 2, callFrame: frame('serve', 'file:///srv/dist/src/api/server/app.js', 9), children: [3, 4] },
    { id: 3, callFrame: frame('query', '/srv/node_modules/pg/dist/client.js', 4) },
    { id: 4, callFrame: frame('<b>', 'node:net', 1) },
    { id: 5, callFrame: frame('(idle)') },
    { id: 6, callFrame: frame('(garbage collector)') },
  ],
  samples: [3, 3, 2, 5, 4, 6],
  timeDeltas: [100, 200, 50, 1_000, 50, 100],
};

test('the samples of one stack are added up, and waiting is left out', () => {
  const { us, callees } = fold(PROFILE);
  const serve = callees.get('serve src/api/server/app.js:10')!;
  expect([us, [...callees.keys()]]).toEqual([500, ['serve src/api/server/app.js:10', '(garbage collector)']]);
  expect(serve.us).toBe(400);
  expect([...serve.callees.values()].map((callee) => [callee.name, callee.us])).toEqual([
    ['query npm:pg/dist/client.js:5', 300],
    ['<b> node:net:2', 50],
  ]);
});

test('the picture shows each frame with its share, as text', () => {
  const svg = flameGraph(PROFILE, 'A & B');
  expect(svg).toContain('A &amp; B: 0.0 s of work');
  expect(svg).toContain('<title>query npm:pg/dist/client.js:5: 60.0 %</title>');
  expect(svg).toContain('<title>&lt;b&gt; node:net:2: 10.0 %</title>');
});
