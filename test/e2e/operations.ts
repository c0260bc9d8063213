import { type Json, type Reply, send } from './client';

/** One operation of the API document. */
export interface Operation {
  /** `GET /things/{id}`. */
  id: string;
  method: string;
  path: string;
  roles: string[];
  /** Path, query and header parameters, references followed. */
  parameters: { name: string; in: string; required?: boolean; schema: Json }[];
  contentType?: string;
  bodySchema?: Json;
}

export interface Request {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body?: Json;
}

/** Requests that the document allows, with the smallest values that it takes. */
export class Requests {
  readonly operations: Operation[];

  /** `given`: values by the name of a member or parameter, where the smallest one would not do. */
  constructor(
    private readonly document: Json,
    private readonly given: Record<string, Json>,
  ) {
    this.operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item)
        // What has a server of its own is served elsewhere.
        .filter(([, operation]) => !operation.servers)
        .map(([method, operation]) => this.read(path, method.toUpperCase(), operation)),
    );
  }

  find(id: string): Operation {
    const found = this.operations.find((operation) => operation.id === id);
    if (!found) throw new Error(`the document has no ${id}`);
    return found;
  }

  of({ method, path, parameters, contentType, bodySchema }: Operation): Request {
    const required = (place: string) =>
      Object.fromEntries(
        parameters
          .filter((parameter) => parameter.in === place && parameter.required)
          .map(({ name, schema }) => [name, String(this.sample(schema, name))]),
      );
    return {
      method,
      path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(this.given[name] ?? 'x'))),
      query: required('query'),
      headers: { ...required('header'), ...(contentType && { 'content-type': contentType }) },
      body: contentType === 'application/json' ? jsonOf(this.sample(bodySchema)) : contentType && 'x=1',
    };
  }

  /** The smallest value that the schema takes. */
  sample(schema: Json, name = ''): Json {
    const node = this.resolved(schema);
    const given = this.given[name];
    if (
      given !== undefined &&
      name !== 'id' &&
      (typeof given === 'string') === ['string', undefined].includes(one(node))
    )
      return given;
    if (node.examples?.length) return node.examples[0];
    if (node.enum) return node.enum[0];
    if (node.default !== undefined) return node.default;
    const choice = node.oneOf ?? node.anyOf;
    if (choice && !node.properties) return this.sample(choice[0], name);
    if (node.properties) {
      const names: string[] = [...(node.required ?? []), ...(choice?.[0].required ?? [])];
      return Object.fromEntries(names.map((member) => [member, this.sample(node.properties[member], member)]));
    }
    const type = one(node);
    if (type === 'object') return {};
    if (type === 'array') return Array.from({ length: node.minItems ?? 0 }, () => this.sample(node.items));
    if (type === 'integer' || type === 'number') return node.minimum ?? 1;
    if (type === 'boolean') return true;
    return 'x'.repeat(Math.max(1, node.minLength ?? 1));
  }

  resolved(node: Json): Json {
    if (!node?.$ref) return node;
    return node.$ref
      .slice(2)
      .split('/')
      .reduce((at: Json, name: string) => at[name], this.document);
  }

  private read(path: string, method: string, operation: Json): Operation {
    const [contentType, media] = Object.entries<Json>(operation.requestBody?.content ?? {})[0] ?? [];
    return {
      id: `${method} ${path}`,
      method,
      path,
      roles: operation['x-roles'],
      parameters: operation.parameters.map((parameter: Json) => this.resolved(parameter)),
      contentType,
      bodySchema: media && this.resolved(media.schema),
    };
  }
}

/** Text is sent as it is: as JSON it stands in quotes. */
const jsonOf = (sample: Json): Json => (typeof sample === 'string' ? JSON.stringify(sample) : sample);

/** The type of a value; of several, the first. */
function one({ type }: Json): string | undefined {
  return [type].flat()[0];
}

export function sendRequest(apiUrl: string, { method, path, query, headers, body }: Request): Promise<Reply> {
  const search = new URLSearchParams(query).toString();
  return send(apiUrl + path + (search && `?${search}`), { method, headers, body });
}
