import { type Paper, printed } from '../../foundation/paper/paper';
import type { Answer } from './route';

export const PDF = 'application/pdf';

/** Whether the caller prefers PDF to JSON. */
export function wantsPdf(accept: string | undefined): boolean {
  return accept !== undefined && /\bapplication\/pdf\b/i.test(accept);
}

/** Answers a paper as a file of this name. */
export function pdfAnswer(name: string, paper: Paper): Answer {
  return {
    status: 200,
    body: printed(paper),
    headers: {
      'content-type': PDF,
      'content-disposition': `attachment; filename="${name}.pdf"`,
      vary: 'accept',
    },
  };
}
