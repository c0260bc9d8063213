import { Readable } from 'node:stream';
import type { FileType } from '../../domain/file-type';
import type { OpenedFile } from '../../foundation/files/file-store';
import type { Answer } from './route';

const EXTENSIONS: Record<FileType, string> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};

/** Answers a stored file so that a browser saves it and does not run it. The file is called `name`, with the extension of its type. */
export function downloadOf({ contentType, sizeBytes, content }: OpenedFile, name: string): Answer {
  return {
    status: 200,
    body: Readable.from(content, { objectMode: false }),
    headers: {
      'Content-Type': contentType,
      'Content-Length': String(sizeBytes),
      'Content-Disposition': `attachment; filename="${name}.${EXTENSIONS[contentType]}"`,
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    },
  };
}
