import { Eta } from 'eta';
import { sourceOf } from '../server/csp';
import type { Letter } from './mailbox';

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f2f4f7; color: #1a2433; }
main { box-sizing: border-box; width: min(44rem, 100% - 2rem); margin: 1rem auto; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin-bottom: 1rem; }
label { flex: 1 1 100%; font-weight: 600; }
input { flex: 1 1 12rem; box-sizing: border-box; min-height: 2.75rem; padding: .25rem .5rem; font: inherit;
  border: 1px solid #66758a; border-radius: .375rem; }
button { min-height: 2.75rem; padding: 0 1.25rem; font: inherit; font-weight: 600; color: #fff; background: #1d4ed8;
  border: 0; border-radius: .375rem; cursor: pointer; }
article { padding: 1rem; margin-bottom: .75rem; background: #fff; border: 1px solid #c9d1dc; border-radius: .5rem; }
h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
.meta { margin: 0 0 .5rem; color: #475467; font-size: .875rem; overflow-wrap: anywhere; }
a { word-break: break-all; }
pre { margin: 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** The page may load its own style and nothing else. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src ${sourceOf(STYLE)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

const TEMPLATE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox mailbox</title>
<style><%~ it.style %></style>
</head>
<body>
<main>
<h1>Sandbox mailbox</h1>
<form>
<label for="to">E-mails and SMS to</label>
<input id="to" name="to" value="<%= it.to %>" placeholder="Everybody" inputmode="email" autocapitalize="none">
<button>Show</button>
</form>
<% for (const letter of it.letters) { %>
<article>
<h2><%= letter.channel === 'sms' ? 'SMS' : letter.subject %></h2>
<p class="meta">To <%= letter.to %><br>
From <%= letter.from %><br>
<time datetime="<%= letter.receivedAt %>"><%= letter.receivedAt.slice(0, 19).replace('T', ' ') %> UTC</time></p>
<pre><% for (const part of letter.parts) { %><% if (part.href) { %><a href="<%= part.href %>"><%= part.text %></a><% } else { %><%= part.text %><% } %><% } %></pre>
</article>
<% } %>
<% if (it.letters.length === 0) { %><p role="status">Nothing has arrived yet.</p><% } %>
</main>
</body>
</html>
`;

const eta = new Eta();
const page = eta.compile(TEMPLATE);

/** The mailbox as a page for people. Links in a message work. */
export function mailboxPage(letters: readonly Letter[], to: string | undefined): string {
  return eta.render(page, {
    style: STYLE,
    to: to ?? '',
    letters: letters.map((letter) => ({ ...letter, parts: partsOf(letter.text) })),
  });
}

function partsOf(text: string): { text: string; href?: string }[] {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, index) => (index % 2 ? { text: part, href: part } : { text: part }));
}
