import type { Area, Resource } from './area';

/** What the console shows. Filled once, before anything is drawn, so that the areas may use the parts that read it. */
let shown: readonly Area[] = [];
let byName = new Map<string, Resource>();

/** Throws when two areas have a resource of the same name: one would hide the other. */
export function show(areas: readonly Area[]): void {
  shown = areas;
  byName = new Map();
  for (const resource of areas.flatMap(({ resources = [] }) => resources)) {
    if (byName.has(resource.name)) throw new Error(`two areas have a resource ${resource.name}`);
    byName.set(resource.name, resource);
  }
}

export function shownAreas(): readonly Area[] {
  return shown;
}

/** The resource of a name; throws for one that no area has. */
export function resourceOf(name: string): Resource {
  const resource = byName.get(name);
  if (!resource) throw new Error(`no resource ${name}`);
  return resource;
}
