/** Browsers have passkeys for names, not for addresses such as 127.0.0.1. */
export function passkeysWork(): boolean {
  return 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);
}

/** The header that shows a code of the person's second factor, where one was typed. */
export function proofOf(code: string): Record<string, string | undefined> {
  return { 'X-Two-Factor-Code': code.replaceAll(' ', '') || undefined };
}
