import Router, { type Layer, type RouterMiddleware } from '@koa/router';
import { DomainError, notFound } from '../../../domain/errors';
import type { Route } from '../route';

export interface Match<T> {
  value: T;
  params: Record<string, string>;
  /** The path with its escapes decoded, so that `48-51%2C56-59` and `48-51,56-59` are equal. */
  path: string;
}

/** Characters that stay as they are in a path. All others are percent-encoded before the comparison. */
const PLAIN_PATH = /^[\w.~/-]*$/;

/**
 * Finds the endpoint of a request with @koa/router, one layer per path. Each segment of patterns and paths is decoded and
 * encoded again before the comparison, so that it does not matter how the client writes a comma.
 */
export class Endpoints<T extends { route: Pick<Route, 'method' | 'path'> }> {
  private readonly router = new Router({ strict: true, sensitive: true });
  private readonly byLayer = new Map<Layer, Map<string, T>>();

  constructor(endpoints: readonly T[]) {
    const byPath = new Map<string, Map<string, T>>();
    for (const endpoint of endpoints) {
      const { method, path } = endpoint.route;
      const methods = byPath.get(path) ?? new Map<string, T>();
      if (methods.has(method)) throw new Error(`${method} ${path} is declared twice`);
      byPath.set(path, methods.set(method, endpoint));
    }
    // The router takes the first layer that fits. `{` sorts after every first character of a literal, so literals win.
    for (const path of [...byPath.keys()].sort()) {
      const methods = byPath.get(path)!;
      const layer = this.router.register(patternOf(path), [...methods.keys()], passOn) as Layer;
      this.byLayer.set(layer, methods);
    }
  }

  /**
   * Undefined for an unknown path. HEAD is served as GET. Throws MethodNotAllowed for another method, and `not_found`
   * for a path whose escapes cannot be decoded.
   */
  match(method: string, path: string): Match<T> | undefined {
    const spelt = PLAIN_PATH.test(path) ? path : path.split('/').map(respell).join('/');
    const [layer] = this.router.match(spelt, method).path;
    if (!layer) return undefined;
    const methods = this.byLayer.get(layer)!;
    const value = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined);
    if (!value) throw new MethodNotAllowed([...methods.keys()]);
    return { value, params: layer.params(spelt, layer.captures(spelt)), path: decodeURIComponent(spelt) };
  }
}

/** 405 with the allowed methods. */
export class MethodNotAllowed extends DomainError {
  constructor(readonly methods: string[]) {
    super('method_not_allowed', `Use ${methods.join(' or ')} on this path`);
  }
}

/** `/things/{id}/48-51,56-59` in the syntax of path-to-regexp. */
function patternOf(path: string): string {
  const segments = path.split('/').map((segment) => {
    const parameter = /^\{(\w+)\}$/.exec(segment)?.[1];
    return parameter ? `:${parameter}` : encodeURIComponent(segment);
  });
  return segments.join('/');
}

function respell(segment: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    throw notFound('Resource');
  }
  if (decoded.includes('\0')) throw notFound('Resource');
  return encodeURIComponent(decoded);
}

/** The router needs a middleware for each layer. It does nothing, because `match` finds the endpoint. */
const passOn: RouterMiddleware = (_ctx, next) => next();
