import { createHash } from 'node:crypto';

/** An inline style or script as a source of a Content-Security-Policy (CSP Level 3, section 2.3.1). */
export function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
