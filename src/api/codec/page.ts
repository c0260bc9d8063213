import { sourceOf } from '../server/csp';

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f2f4f7; color: #1a2433; }
main { box-sizing: border-box; width: min(32rem, 100% - 2rem); margin: 1rem auto; padding: 1.5rem; background: #fff; border: 1px solid #c9d1dc; border-radius: .5rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
code { overflow-wrap: anywhere; }
`;

/** The only page of the codec server may load its own style and nothing else. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src ${sourceOf(STYLE)}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;

/** For who is not signed in as an operator: where to do that. */
export function signInPage(publicUrl: string): string {
  return frame(`<h1>Read payloads in the Temporal UI</h1>
<p>Payloads are encrypted. An operator who is signed in to the console can read them; we record each reading.</p>
<p><a href="${publicUrl}/console">Sign in to the console</a> with your second factor, then open this page again.</p>`);
}

/** Tells the operator what to set in the UI, once in each browser. */
export function setUpPage(codecUrl: string, uiUrl: string): string {
  return frame(`<h1>Read payloads in the Temporal UI</h1>
<p role="status">This browser may read payloads until you sign out of the console. In each new browser, set up the Temporal
UI once:</p>
<ol>
<li>Open <a href="${uiUrl}">${uiUrl}</a>, at exactly this address. Your session does not count under another host.</li>
<li>Press the glasses at the top right.</li>
<li>Choose “Use my browser setting and ignore Cluster-level setting”, enter <code>${codecUrl}</code>, and switch on
“Include cross-origin credentials”.</li>
<li>Press “Apply”.</li>
</ol>`);
}

function frame(content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillway codec server</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}
