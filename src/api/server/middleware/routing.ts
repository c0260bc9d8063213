import { DomainError, notFound } from '../../../domain/errors';
import type { Route } from '../route';

export interface Match<T> {
  value: T;
  params: Record<string, string>;
  /** The path with its escapes decoded, so that `48-51%2C56-59` and `48-51,56-59` are equal. */
  path: string;
}

/** What may follow a segment of a path. */
interface Place<T> {
  /** By the segment, decoded. */
  readonly literals: Map<string, Place<T>>;
  /** Any segment that is not empty. Its name belongs to the path. */
  parameter?: Place<T>;
  /** The endpoints of a path that ends here, by method, and the names of its parameters. */
  readonly methods: Map<string, T>;
  names: readonly string[];
}

/** Characters that need no decoding. */
const PLAIN_PATH = /^[\w.~/-]*$/;
const PARAMETER = /^\{(\w+)\}$/;

/**
 * Finds the endpoint of a request, segment by segment. Literal segments win over parameters. Both are compared decoded, so
 * that it does not matter how the client writes a comma. Case and a slash at the end matter.
 */
export class Endpoints<T extends { route: Pick<Route, 'method' | 'path'> }> {
  private readonly root: Place<T> = place();

  constructor(endpoints: readonly T[]) {
    for (const endpoint of endpoints) {
      const { method, path } = endpoint.route;
      const segments = path.split('/');
      const names = segments.flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? []);
      let at = this.root;
      for (const segment of segments) at = PARAMETER.test(segment) ? parameterOf(at) : literalOf(at, segment);
      if (at.methods.has(method) || (at.methods.size > 0 && `${at.names}` !== `${names}`))
        throw new Error(`${method} ${path} is declared twice`);
      at.names = names;
      at.methods.set(method, endpoint);
    }
  }

  /**
   * Undefined for an unknown path. HEAD is served as GET. Throws MethodNotAllowed for another method, and `not_found`
   * for a path whose escapes cannot be decoded.
   */
  match(method: string, path: string): Match<T> | undefined {
    const segments = PLAIN_PATH.test(path) ? path.split('/') : path.split('/').map(decoded);
    const values: string[] = [];
    const found = find(this.root, segments, 0, values);
    if (!found) return undefined;
    const { methods, names } = found;
    const value = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined);
    if (!value) throw new MethodNotAllowed([...methods.keys()]);
    const params: Record<string, string> = {};
    for (let index = 0; index < names.length; index += 1) params[names[index]!] = values[index]!;
    return { value, params, path: segments.join('/') };
  }
}

/** 405 with the allowed methods. */
export class MethodNotAllowed extends DomainError {
  constructor(readonly methods: string[]) {
    super('method_not_allowed', `Use ${methods.join(' or ')} on this path`);
  }
}

function place<T>(): Place<T> {
  return { literals: new Map(), methods: new Map(), names: [] };
}

function literalOf<T>(at: Place<T>, segment: string): Place<T> {
  const next = at.literals.get(segment) ?? place<T>();
  at.literals.set(segment, next);
  return next;
}

function parameterOf<T>(at: Place<T>): Place<T> {
  at.parameter ??= place<T>();
  return at.parameter;
}

/** The place where the path from segment `index` on ends. Adds what the parameters stand for to `values`. */
function find<T>(at: Place<T>, segments: string[], index: number, values: string[]): Place<T> | undefined {
  if (index === segments.length) return at.methods.size > 0 ? at : undefined;
  const segment = segments[index]!;
  const literal = at.literals.get(segment);
  const found = literal && find(literal, segments, index + 1, values);
  if (found || !at.parameter || segment === '') return found;
  values.push(segment);
  const within = find(at.parameter, segments, index + 1, values);
  if (!within) values.pop();
  return within;
}

function decoded(segment: string): string {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    throw notFound('Resource');
  }
  if (text.includes('\0')) throw notFound('Resource');
  return text;
}
