import type { Column } from './csv';
import { type Json, jsonSchemaOf } from './json-schema';
import type { Route } from './route';

/** A route that answers a list: what its CSV looks like, and how one page leads to the next. */
export interface List {
  /** Name of the file: the last word of the path. */
  name: string;
  /** One column for each member of a record, as `amounts.captured`. What has no fixed members is one column of JSON. */
  columns: readonly Column<unknown>[];
  /** The query parameter that takes `nextCursor`. Absent if the whole list is one page. */
  next?: 'cursor' | 'after';
}

/** The list that a route answers, `{data: […], nextCursor?}`. Undefined for other routes, and for public ones. */
export function listOfRoute(route: Route): List | undefined {
  const schema = route.responses[200]?.schema;
  if (route.method !== 'GET' || route.roles === 'public' || !schema) return undefined;
  const { keys = {} } = schema.describe() as Json;
  if (keys.data?.type !== 'array' || Object.keys(keys).some((key) => key !== 'data' && key !== 'nextCursor'))
    return undefined;
  const parameters = Object.keys((route.query?.describe() as Json)?.keys ?? {});
  return {
    name: route.path.split('/').findLast((word) => !word.startsWith('{'))!,
    columns: columnsOf(jsonSchemaOf(schema, 'output').properties.data.items),
    next: (['cursor', 'after'] as const).find((name) => parameters.includes(name)),
  };
}

function columnsOf(record: Json): Column<unknown>[] {
  return pathsOf(record, []).map((path) => [
    path.join('.'),
    (row) => path.reduce((at, member) => (at as Record<string, unknown> | null | undefined)?.[member], row),
  ]);
}

/** The members of a record, those of all its forms, in the order of the schema. */
function pathsOf(schema: Json, path: string[]): string[][] {
  const members = new Map<string, string[][]>();
  for (const form of [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    for (const [name, child] of Object.entries<Json>(form.properties ?? {})) {
      const paths = members.get(name) ?? [];
      const known = new Set(paths.map(String));
      members.set(name, [...paths, ...pathsOf(child, [...path, name]).filter((one) => !known.has(String(one)))]);
    }
  return members.size > 0 && !schema.additionalProperties ? [...members.values()].flat() : [path];
}
