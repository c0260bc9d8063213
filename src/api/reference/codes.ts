import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceOf } from '../server/csp';

/** docs/codes.md. It has the same relative path from the sources and from the built files. */
const SOURCE = join(__dirname, '../../../docs/codes.md');

/** The page to which every error links: docs/codes.md with an anchor for each code. It needs no script and no other host. */
export function renderCodes(markdown = readFileSync(SOURCE, 'utf8')): { html: string; contentSecurityPolicy: string } {
  const style = readFileSync(join(__dirname, 'page.css'), 'utf8') + STYLE;
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Codes';
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body class="codes">
<main>
<p><a href="/docs">API reference</a></p>
${blocksOf(markdown).join('\n')}
</main>
</body>
</html>
`,
    contentSecurityPolicy: `default-src 'none'; style-src ${sourceOf(style)}; frame-ancestors 'none'; base-uri 'none'`,
  };
}

const STYLE = `
body.codes { display: block; }
body.codes main { max-width: 80rem; margin: 0 auto; }
body.codes td { vertical-align: top; overflow-wrap: break-word; }
body.codes td:first-child { white-space: nowrap; }
body.codes tr:has(:target) { outline: 2px solid currentColor; }
`;

const HEADING = /^(#{1,6}) +(.+?) *#*$/;
const ITEM = /^(?:[-*]|\d+\.) +/;
const ROW = /^\|/;

/** The Markdown blocks that the page uses: headings, tables, lists, fenced code and paragraphs. */
function blocksOf(markdown: string): string[] {
  const lines = markdown.replace(/<!--[\s\S]*?-->/g, '').split(/\r?\n/);
  const blocks: string[] = [];
  /** Takes lines from here while they match. */
  const take = (belongs: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (lines.length > 0 && belongs(lines[0]!)) taken.push(lines.shift()!);
    return taken;
  };
  while (lines.length > 0) {
    const line = lines[0]!;
    const heading = HEADING.exec(line);
    if (line.trim() === '') lines.shift();
    else if (heading) {
      lines.shift();
      blocks.push(headingOf(heading[1]!.length, heading[2]!));
    } else if (line.startsWith('```')) {
      lines.shift();
      blocks.push(`<pre><code>${escaped(take((one) => !one.startsWith('```')).join('\n'))}</code></pre>`);
      lines.shift();
    } else if (ROW.test(line)) blocks.push(tableOf(take((one) => ROW.test(one))));
    else if (ITEM.test(line)) blocks.push(listOf(take((one) => ITEM.test(one) || /^\s+\S/.test(one))));
    else blocks.push(`<p>${inline(take(isProse).join(' '))}</p>`);
  }
  return blocks;
}

function isProse(line: string): boolean {
  return line.trim() !== '' && !HEADING.test(line) && !ROW.test(line) && !ITEM.test(line) && !line.startsWith('```');
}

function headingOf(level: number, text: string): string {
  if (/<a (?:id|name)=/.test(text)) return `<h${level}>${inline(text)}</h${level}>`;
  const id = text
    .replace(/<[^>]*>/g, '')
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
  return `<h${level} id="${id}">${inline(text)}</h${level}>`;
}

function listOf(lines: string[]): string {
  const items: string[] = [];
  for (const line of lines)
    if (ITEM.test(line)) items.push(line.replace(ITEM, ''));
    else items[items.length - 1] += ` ${line.trim()}`;
  const tag = /^\d/.test(lines[0]!) ? 'ol' : 'ul';
  return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`;
}

function tableOf(lines: string[]): string {
  const rows = lines.map((line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|'))),
  );
  const [head = [], ...rest] = rows;
  const body = rest.filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell)));
  const cells = (row: string[], tag: string) =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag.split(' ')[0]}>`).join('')}</tr>`;
  return `<table><thead>${cells(head, 'th scope="col"')}</thead><tbody>${body.map((row) => cells(row, 'td')).join('')}</tbody></table>`;
}

const INLINE = /`([^`]+)`|<a (?:id|name)="([\w.-]+)">\s*<\/a>|\[([^\]]+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*/g;

/** Code, anchors, links and bold; everything else is text. A link to a page that we do not serve becomes plain text. */
function inline(text: string): string {
  let html = '';
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, anchor, label, target, bold] = match;
    html += escaped(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code !== undefined) html += `<code>${escaped(code)}</code>`;
    else if (anchor !== undefined) html += `<a id="${anchor}"></a>`;
    else if (bold !== undefined) html += `<b>${inline(bold)}</b>`;
    else
      html += /^(?:https?:\/\/|#)/.test(target!)
        ? `<a href="${escaped(target!)}">${inline(label!)}</a>`
        : inline(label!);
  }
  return html + escaped(text.slice(end));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
