import { useSyncExternalStore } from 'react';

/**
 * For whom the console looks: an operator chooses a tenant, a tenant admin an organization. The requests carry it in the
 * headers that narrow what a session may see. It stays until another is chosen, in this browser only.
 */
export interface Scope {
  tenantId?: string;
  organizationId?: string;
}

const KEPT = 'tillway.scope';
let scope: Scope = read();
/** What the session itself is bound to: a merchant's organization needs no choice. */
let bound: Scope = {};
const listeners = new Set<() => void>();
let effective: Scope = { ...scope };

/** Chooses. Pages ask again for what they show. */
export function chooseScope(next: Scope): void {
  scope = next;
  localStorage.setItem(KEPT, JSON.stringify(next));
  tell();
}

/** Says what the session is bound to. */
export function bindScope(next: Scope): void {
  // Somebody else signed in: what was chosen before is not theirs.
  if (bound.tenantId && next.tenantId && bound.tenantId !== next.tenantId) scope = {};
  bound = next;
  tell();
}

export function currentScope(): Scope {
  return effective;
}

export function useScope(): Scope {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentScope);
}

/** Headers of a request for all that the person may see, whatever was chosen. */
export const UNSCOPED = { tenantId: undefined, organizationId: undefined };

export function scopeHeaders(): Record<string, string> {
  const { tenantId, organizationId } = effective;
  return { ...(tenantId && { tenantId }), ...(organizationId && { organizationId }) };
}

/** The same for lists that have it in their path: `/customer/…/listByTenant/{tenantId}`. */
export function scopeParams(): Record<string, string> {
  return scopeHeaders();
}

function tell(): void {
  effective = {
    tenantId: bound.tenantId ?? scope.tenantId,
    organizationId: bound.organizationId ?? scope.organizationId,
  };
  for (const listener of listeners) listener();
}

function read(): Scope {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Scope;
  } catch {
    return {};
  }
}
