import type { DataProvider, GetListParams, RaRecord } from 'react-admin';
import type { Resource } from '../area';
import { resourceOf } from '../registry';
import { currentScope, scopeParams } from '../session/scope';
import { request } from './api';

/**
 * React-admin's questions, put to the public API. Lists have no numbers of pages there, only a cursor to the next one:
 * what page 7 begins with is known once page 6 was read.
 */

/** No page further than this is looked for from the start: whoever reloads page 40 waits for 40 answers at most. */
const MOST_STEPS = 50;

/** Cursors of the pages that were seen, by list, filters and scope. The first page has none. */
const cursors = new Map<string, (string | undefined)[]>();

interface Page {
  data: RaRecord[];
  nextCursor?: string | null;
}

async function page(resource: Resource, query: object, signal?: AbortSignal): Promise<Page> {
  const response = await request('get', resource.list, { path: scopeParams(), query, signal });
  const { data, nextCursor } = (await response.json()) as Page;
  return { data: data.map((row) => identified(resource, row)), nextCursor };
}

/** React-admin wants its own `id`; what the API calls so is `ownId` (a customer's). */
function identified(resource: Resource, row: { id?: unknown }): RaRecord {
  return { ...row, ...(row.id !== undefined && { ownId: row.id }), id: resource.idOf(row as never) };
}

async function list(name: string, { pagination, filter, signal }: GetListParams) {
  const resource = resourceOf(name);
  const { page: wanted, perPage } = pagination ?? { page: 1, perPage: 25 };
  if (resource.isWhole) {
    const { data } = await page(resource, { ...filter }, signal);
    return { data, pageInfo: { hasNextPage: false, hasPreviousPage: false } };
  }
  const key = JSON.stringify([name, perPage, filter, currentScope()]);
  const seen = cursors.get(key) ?? [undefined];
  cursors.set(key, seen);
  if (wanted - seen.length > MOST_STEPS) return { data: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } };
  for (let at = Math.min(wanted, seen.length); ; at += 1) {
    const answer = await page(resource, { ...filter, limit: perPage, cursor: seen[at - 1] }, signal);
    const hasNextPage = typeof answer.nextCursor === 'string';
    if (hasNextPage) seen[at] = answer.nextCursor!;
    if (at === wanted) return { data: answer.data, pageInfo: { hasNextPage, hasPreviousPage: wanted > 1 } };
    // The list has become shorter.
    if (!hasNextPage) return { data: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } };
  }
}

async function one(name: string, id: string, signal?: AbortSignal): Promise<RaRecord> {
  const resource = resourceOf(name);
  const path = resource.one ?? resource.list;
  const response = await request('get', path, { path: onlyParam(path, id), signal });
  const body = await response.json();
  return identified(resource, resource.enveloped ? body.data : body);
}

/** A path has one parameter, whatever its name. */
function onlyParam(path: string, id: string): Record<string, string> {
  const name = /\{(\w+)\}/.exec(path)?.[1];
  return name ? { [name]: id } : {};
}

async function save(method: 'post' | 'put', name: string, path: string, id: string | undefined, data: object) {
  const resource = resourceOf(name);
  const response = await request(method, path, { path: id ? onlyParam(path, id) : undefined, body: data });
  const body = await response.json();
  return { data: identified(resource, resource.enveloped ? body.data : body) };
}

const provider: Partial<DataProvider> = {
  supportAbortSignal: true,
  getList: list as DataProvider['getList'],
  getOne: (async (name: string, { id, signal }: { id: string; signal?: AbortSignal }) => ({
    data: await one(name, String(id), signal),
  })) as DataProvider['getOne'],
  getMany: (async (name: string, { ids, signal }: { ids: string[]; signal?: AbortSignal }) => ({
    data: await Promise.all(ids.map((id) => one(name, String(id), signal))),
  })) as DataProvider['getMany'],
  getManyReference: ((name: string, { target, id, filter, ...rest }: GetListParams & { target: string; id: string }) =>
    list(name, { ...rest, filter: { ...filter, [target]: id } })) as DataProvider['getManyReference'],
  create: ((name: string, { data }: { data: object }) =>
    save('post', name, resourceOf(name).list, undefined, data)) as DataProvider['create'],
  update: ((name: string, { id, data }: { id: string; data: object }) =>
    save('put', name, resourceOf(name).one!, String(id), data)) as DataProvider['update'],
};

/** No page deletes or changes several records behind react-admin's buttons: acts ask first, in their own words. */
export const dataProvider = provider as DataProvider;
