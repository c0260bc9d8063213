import { renderCodes } from '../../../src/api/reference/codes';
import { DOMAIN_ERROR_CODES } from '../../../src/domain/errors';
import { RESULT_DESCRIPTIONS } from '../../../src/domain/result-codes';

test('every error code and result code has an anchor on the page, once', () => {
  const { html } = renderCodes();
  for (const code of [...DOMAIN_ERROR_CODES, ...Object.keys(RESULT_DESCRIPTIONS)])
    expect([code, html.split(`id="${code}"`).length - 1]).toEqual([code, 1]);
  expect(html).not.toMatch(/<script|src=|style="|\bon\w+=/);
});

const body = (markdown: string) =>
  /<a href="\/docs">API reference<\/a><\/p>\n([\s\S]*)\n<\/main>/.exec(renderCodes(markdown).html)![1];

test.each([
  ['# Codes', '<h1 id="codes">Codes</h1>'],
  ['## `a_b` and c', '<h2 id="a_b-and-c"><code>a_b</code> and c</h2>'],
  ['### <a id="x"></a>`x`', '<h3><a id="x"></a><code>x</code></h3>'],
  ['one\ntwo\n\nthree', '<p>one two</p>\n<p>three</p>'],
  ['- a\n  b\n- **c**', '<ul><li>a b</li><li><b>c</b></li></ul>'],
  ['1. a\n2. b', '<ol><li>a</li><li>b</li></ol>'],
  [
    '| A | B |\n| --- | :-: |\n| <a id="x"></a>`x` | a \\| b |',
    '<table><thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody><tr><td><a id="x"></a><code>x</code></td><td>a | b</td></tr></tbody></table>',
  ],
  ['```sh\n<a> & `b`\n```', '<pre><code>&#60;a&#62; &#38; `b`</code></pre>'],
  [
    '[x](#y) [z](https://a.example/?b=1&c) [w](callbacks.md#d)',
    '<p><a href="#y">x</a> <a href="https://a.example/?b=1&#38;c">z</a> w</p>',
  ],
  [
    '<script>alert(1)</script> <a href="javascript:x">',
    '<p>&#60;script&#62;alert(1)&#60;/script&#62; &#60;a href=&#34;javascript:x&#34;&#62;</p>',
  ],
  ['[x](javascript:alert(1))', '<p>x)</p>'],
  ['`<b>`', '<p><code>&#60;b&#62;</code></p>'],
])('%j is shown as %j', (markdown, html) => {
  expect(body(markdown)).toBe(html);
});
