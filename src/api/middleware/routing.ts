import { DomainError, notFound } from '../../domain/errors';

interface Node<T> {
  literals: Map<string, Node<T>>;
  parameter?: Node<T>;
  entries: Map<string, { value: T; parameters: string[] }>;
}

export interface Match<T> {
  value: T;
  params: Record<string, string>;
  /** The path with its escapes decoded: one spelling for `48-51%2C56-59` and `48-51,56-59`. */
  path: string;
}

/**
 * Routes by whole, decoded segments: a literal wins over a parameter, so `/payments/h2h/48-51,56-59` and
 * `/payments/h2h/{id}` live side by side whatever their order, and the cost does not grow with the number of routes.
 */
export class PathTable<T> {
  private readonly root: Node<T> = emptyNode();

  add(method: string, pattern: string, value: T): void {
    const parameters: string[] = [];
    let node = this.root;
    for (const segment of pattern.slice(1).split('/')) {
      const parameter = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (parameter) {
        parameters.push(parameter);
        node = node.parameter ??= emptyNode();
      } else {
        const next = node.literals.get(segment) ?? emptyNode<T>();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.entries.has(method)) throw new Error(`${method} ${pattern} is declared twice`);
    node.entries.set(method, { value, parameters });
  }

  /**
   * Undefined for an unknown path. HEAD is served as GET. Throws `method_not_allowed` with the allowed methods in
   * `AllowedMethods.methods`, and `not_found` for a path whose escapes cannot be decoded.
   */
  match(method: string, path: string): Match<T> | undefined {
    const segments = decode(path);
    const values: string[] = [];
    const node = walk(this.root, segments, 0, values);
    if (!node) return undefined;
    const entry = node.entries.get(method) ?? (method === 'HEAD' ? node.entries.get('GET') : undefined);
    if (!entry) throw new MethodNotAllowed([...node.entries.keys()]);
    const params: Record<string, string> = {};
    for (let index = 0; index < entry.parameters.length; index += 1) params[entry.parameters[index]!] = values[index]!;
    return { value: entry.value, params, path: `/${segments.join('/')}` };
  }
}

/** 405, with what would have been allowed. */
export class MethodNotAllowed extends DomainError {
  constructor(readonly methods: string[]) {
    super('method_not_allowed', `Use ${methods.join(' or ')} on this path`);
  }
}

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), entries: new Map() };
}

function walk<T>(node: Node<T>, segments: string[], depth: number, values: string[]): Node<T> | undefined {
  if (depth === segments.length) return node.entries.size > 0 ? node : undefined;
  const segment = segments[depth]!;
  const literal = node.literals.get(segment);
  const found = literal && walk(literal, segments, depth + 1, values);
  if (found || !node.parameter || segment === '') return found;
  values.push(segment);
  const viaParameter = walk(node.parameter, segments, depth + 1, values);
  if (!viaParameter) values.pop();
  return viaParameter;
}

function decode(path: string): string[] {
  const segments = path.slice(1).split('/');
  if (!path.includes('%')) return segments;
  try {
    const decoded = segments.map(decodeURIComponent);
    if (decoded.some((segment) => segment.includes('\0'))) throw notFound('Resource');
    return decoded;
  } catch {
    throw notFound('Resource');
  }
}
