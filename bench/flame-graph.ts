/** A CPU profile of V8 (`Profiler.Profile` of the inspector, `.cpuprofile`). Times in microseconds. */
export interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

/** Calls with one stack, added up. */
interface Frame {
  name: string;
  us: number;
  callees: Map<string, Frame>;
}

const WIDTH = 1_200;
const ROW = 17;
const LETTER = 6.6;
/** Narrower frames are left out: nobody can see them. */
const NARROWEST = 1;
/** Waiting is no work. */
const IDLE = new Set(['(idle)', '(program)']);
const COLOURS = { ours: '#f4a261', package: '#e9c46a', node: '#8ab17d', engine: '#9aa5b1' };

/** An SVG of where the time went: who called what upwards from the bottom, width by time. */
export function flameGraph(profile: Profile, title: string): string {
  const root = fold(profile);
  const depth = depthOf(root, (NARROWEST * root.us) / WIDTH);
  const boxes: string[] = [];
  draw(root, 0, 0, WIDTH / root.us, depth, boxes);
  const height = (depth + 3) * ROW;
  const heading = escaped(`${title}: ${(root.us / 1e6).toFixed(1)} s of work`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">`,
    `<title>${heading}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="4" y="14">${heading}</text>`,
    ...boxes,
    '</svg>\n',
  ].join('\n');
}

/** The stacks of the samples as one tree. */
export function fold({ nodes, samples, timeDeltas }: Profile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const root: Frame = { name: 'all', us: 0, callees: new Map() };
  samples.forEach((sample, index) => {
    const stack: string[] = [];
    for (let id: number | undefined = sample; parents.has(id!); id = parents.get(id!))
      stack.push(nameOf(byId.get(id!)!));
    if (stack.length === 0 || IDLE.has(stack[0]!)) return;
    // What ran in between two samples is counted for the one that ends it.
    const us = Math.max(0, timeDeltas[index] ?? 0);
    let at = root;
    at.us += us;
    for (const name of stack.reverse()) {
      const next: Frame = at.callees.get(name) ?? { name, us: 0, callees: new Map() };
      at.callees.set(name, next);
      next.us += us;
      at = next;
    }
  });
  return root;
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Profile['nodes'][number]): string {
  const name = functionName || '(anonymous)';
  const [, packaged] = /^.*\/node_modules\/(.*)$/.exec(url) ?? [];
  const file = packaged ? `npm:${packaged}` : url.replace(/^.*\/dist\//, '');
  return file ? `${name} ${file}:${lineNumber + 1}` : name;
}

function draw(frame: Frame, x: number, level: number, scale: number, depth: number, boxes: string[]): void {
  const width = frame.us * scale;
  if (!(width >= NARROWEST)) return;
  const y = (depth - level + 1) * ROW;
  const share = `${frame.name}: ${((100 * width) / WIDTH).toFixed(1)} %`;
  const text = width > 30 ? frame.name.slice(0, Math.floor(width / LETTER)) : '';
  boxes.push(
    `<g><title>${escaped(share)}</title><rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colourOf(frame.name)}"/>` +
      `${text && `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escaped(text)}</text>`}</g>`,
  );
  let at = x;
  for (const callee of [...frame.callees.values()].sort((a, b) => b.us - a.us)) {
    draw(callee, at, level + 1, scale, depth, boxes);
    at += callee.us * scale;
  }
}

/** How many frames stand on each other, of those that took as long as `leastUs`. */
function depthOf(frame: Frame, leastUs: number): number {
  const callees = [...frame.callees.values()].filter(({ us }) => us >= leastUs);
  return 1 + Math.max(0, ...callees.map((callee) => depthOf(callee, leastUs)));
}

function colourOf(name: string): string {
  if (name.includes(' npm:')) return COLOURS.package;
  if (name.includes(' node:')) return COLOURS.node;
  return /:\d+$/.test(name) ? COLOURS.ours : COLOURS.engine;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
