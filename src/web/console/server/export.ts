import { scopeParams } from '../session/scope';
import { addressOf, request } from './api';

/** Saves a list as the API writes it: all its rows, as CSV. Throws ApiError; a file that broke off is not saved. */
export async function saveCsv(
  path: string,
  name: string,
  query: object,
  headers: Record<string, string | undefined> = {},
): Promise<void> {
  const asked = { path: scopeParams(), query, headers: { ...headers, Accept: 'text/csv' }, timeoutMs: 0 };
  await saveAs(await request('get', path, asked), `${name}.csv`);
}

/** Saves what an address answers, a statement as PDF for example. Throws ApiError. */
export async function saveFile(
  path: string,
  params: Record<string, string>,
  accept: string,
  fallbackName: string,
  query: object = {},
): Promise<void> {
  const asked = { headers: { Accept: accept }, timeoutMs: 0 };
  await saveAs(await request('get', addressOf(path, params, query), asked), fallbackName);
}

async function saveAs(response: Response, fallbackName: string): Promise<void> {
  const named = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  // The browser keeps a large blob on disk. It rejects when the connection breaks: nobody takes half a file for a whole.
  const blob = await response.blob();
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = named ?? fallbackName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
