import type { Area, Resource } from './area';

/** What the console shows. Filled once, before anything is drawn, so that the areas may use the parts that read it. */
let shown: readonly Area[] = [];
let byName = new Map<string, Resource>();

export function show(areas: readonly Area[]): void {
  shown = areas;
  byName = new Map(areas.flatMap((area) => area.resources ?? []).map((resource) => [resource.name, resource]));
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
