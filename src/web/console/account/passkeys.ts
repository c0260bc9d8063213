/** Browsers have passkeys for names, not for addresses such as 127.0.0.1. */
export function passkeysWork(): boolean {
  return 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);
}

/** The same page by a name, for a browser on the computer that the console runs on. Undefined for other addresses. */
export function onLocalhost(): string | undefined {
  if (!/^127\.|^\[::1\]$/.test(location.hostname)) return undefined;
  const there = new URL(location.href);
  there.hostname = 'localhost';
  return there.href;
}

/** The header that shows a code of the person's second factor, where one was typed. */
export function proofOf(code: string): Record<string, string | undefined> {
  return { 'X-Two-Factor-Code': code.replaceAll(' ', '') || undefined };
}
