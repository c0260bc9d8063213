import { sourceOf } from '../server/csp';

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f2f4f7; color: #1a2433; }
main { box-sizing: border-box; width: min(32rem, 100% - 2rem); margin: 1rem auto; padding: 1.5rem; background: #fff; border: 1px solid #c9d1dc; border-radius: .5rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
label { display: block; margin-top: 1rem; font-weight: 600; }
input { display: block; box-sizing: border-box; width: 100%; min-height: 2.5rem; padding: .25rem .5rem; font: inherit;
  border: 1px solid #66758a; border-radius: .375rem; }
button { width: 100%; min-height: 3rem; margin-top: 1.5rem; font: inherit; font-weight: 600; color: #fff;
  background: #1d4ed8; border: 0; border-radius: .375rem; cursor: pointer; }
[role=alert] { color: #b42318; font-weight: 600; }
code { overflow-wrap: anywhere; }
`;

/** The only page of the codec server may load its own style and nothing else. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src ${sourceOf(STYLE)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

/** The sign-in form; `refusal` says why the last try failed. */
export function signInPage(action: string, refusal?: string): string {
  return frame(`<h1>Read payloads in the Temporal UI</h1>
<p>Payloads are encrypted. An operator who signs in here can read them for eight hours; we record each reading.</p>
${refusal ? `<p role="alert">${refusal}</p>` : ''}
<form method="post" action="${action}">
<label>Ops client id <input name="clientId" required autocomplete="username"></label>
<label>Client secret <input name="clientSecret" type="password" required autocomplete="current-password"></label>
<button>Sign in</button>
</form>`);
}

/** Tells the operator what to set in the UI, once in each browser. */
export function signedInPage(codecUrl: string, uiUrl: string): string {
  return frame(`<h1>Signed in</h1>
<p role="status">This browser may read payloads for eight hours. In each new browser, set up the Temporal UI once:</p>
<ol>
<li>Open <a href="${uiUrl}">${uiUrl}</a>, at exactly this address. The sign-in does not work under another name.</li>
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
