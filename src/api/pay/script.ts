/** What makes the page better where there is JavaScript; everything works without it. */
export const SCRIPT = `
for (const [name, value] of [['colorDepth', screen.colorDepth], ['screenWidth', screen.width], ['screenHeight', screen.height], ['timeZoneOffset', new Date().getTimezoneOffset()]])
  for (const input of document.getElementsByName(name)) input.value = value;
for (const form of document.querySelectorAll('form[method=post]'))
  form.addEventListener('submit', (event) => { if (form.dataset.sent) event.preventDefault(); form.dataset.sent = '1'; });
addEventListener('pageshow', () => document.querySelectorAll('form').forEach((form) => { delete form.dataset.sent; }));
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', () => navigator.clipboard.writeText(button.dataset.copy).then(() => { button.firstChild.data = button.dataset.done; }));
}
const live = document.querySelector('[data-live]');
if (live) setInterval(async () => {
  const reply = await fetch(live.dataset.live, { cache: 'no-store' }).catch(() => undefined);
  if (reply && reply.ok && (await reply.text()) !== live.dataset.state) location.reload();
}, 2000);
`;
