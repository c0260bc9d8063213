import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { sourceOf } from '../server/csp';
import type { Json } from '../server/json-schema';

/** One line of the table of a schema: a member in dotted form. */
interface Field {
  name: string;
  type: string;
  required: boolean;
  notes: string;
}

/** The page for people, rendered once from the document. It needs no script and no other host. */
export function renderReference(document: Json): { html: string; contentSecurityPolicy: string } {
  const style = readFileSync(join(__dirname, 'page.css'), 'utf8');
  const eta = new Eta({ views: __dirname, autoTrim: false });
  const html = eta.render('./page', { document, style, areas: areasOf(document), prose });
  return {
    html,
    contentSecurityPolicy: `default-src 'none'; style-src ${sourceOf(style)}; frame-ancestors 'none'; base-uri 'none'`,
  };
}

/** Markdown's backticks as code; everything else escaped. */
function prose(text: string): string {
  const escaped = text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return escaped.replace(/`([^`]+)`/g, '<code>$1</code>');
}

function areasOf(document: Json) {
  const operations = Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => viewOf(document, path, method, operation)),
  );
  return (document.tags as { name: string }[]).map(({ name }) => ({
    name,
    operations: operations.filter(({ area }) => area === name),
  }));
}

function viewOf(document: Json, path: string, method: string, operation: Json) {
  const resolve = (value: Json): Json => (value.$ref ? follow(document, value.$ref) : value);
  const [contentType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return {
    id: operation.operationId,
    area: operation.tags[0],
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    roles: operation['x-roles'] as string[],
    parameters: operation.parameters.map(resolve).map((parameter: Json) => ({
      place: parameter.in,
      ...fieldOf(parameter.name, parameter.schema, Boolean(parameter.required), parameter.description),
    })),
    contentType,
    body: fieldsOf((body as Json)?.schema),
    responses: Object.entries(operation.responses).map(([status, given]) => {
      const response = resolve(given);
      const schema = Object.values((response.content ?? {}) as Record<string, Json>)[0]?.schema;
      return { status, description: response.description, fields: schema?.$ref ? [] : fieldsOf(schema) };
    }),
  };
}

function follow(document: Json, reference: string): Json {
  return reference
    .slice(2)
    .split('/')
    .reduce((value, step) => value[step], document);
}

/** The members of an object or of an array's elements. Nested members follow their parent. All alternatives are listed. */
function fieldsOf(schema: Json, prefix = ''): Field[] {
  if (!schema) return [];
  if (schema.items) return fieldsOf(schema.items, `${prefix}[]`);
  const own = Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([name, child]) => {
    const path = prefix ? `${prefix}.${name}` : name;
    return [
      fieldOf(path, child, schema.required?.includes(name) ?? false, child.description),
      ...fieldsOf(child, path),
    ];
  });
  const others: Field[] = (schema.anyOf ?? []).flatMap((one: Json) => fieldsOf(one, prefix));
  const known = new Set(own.map(({ name }) => name));
  return [...own, ...others.filter(({ name }) => !known.has(name) && known.add(name))];
}

/** The types that a schema allows. `null` is left out because it counts as absent. */
function typesOf(schema: Json): string[] {
  const types: string[] = schema.type ? [schema.type].flat() : (schema.anyOf ?? []).flatMap(typesOf);
  return [...new Set(types.filter((type) => type !== 'null'))];
}

function fieldOf(name: string, schema: Json, required: boolean, description = ''): Field {
  const inner = schema.anyOf?.length === 1 ? schema.anyOf[0] : schema;
  const type = typesOf(schema).join(' or ') || 'any';
  const limits = [
    inner.enum && `one of ${inner.enum.filter((value: unknown) => value !== null).join(', ')}`,
    inner.format,
    inner.minimum !== undefined && `at least ${inner.minimum}`,
    inner.maximum !== undefined && `at most ${inner.maximum}`,
    inner.maxLength !== undefined && `up to ${inner.maxLength} characters`,
    inner.default !== undefined && `default ${JSON.stringify(inner.default)}`,
    inner.examples?.length && typeof inner.examples[0] !== 'object' && `such as ${inner.examples[0]}`,
  ].filter(Boolean);
  return {
    name,
    type,
    required,
    notes: [description.replace(/\.$/, ''), limits.join('; ')].filter(Boolean).join('. '),
  };
}
