import { ConfigError, Setting } from './setting';

/** Settings by the member of Config that each becomes. */
export interface Group {
  readonly [member: string]: Setting<unknown> | Group;
}

type Value<Node> = Node extends Setting<infer T> ? T : Values<Node>;

type MayBeAbsent<G> = {
  [Member in keyof G]: G[Member] extends Setting<infer T> ? (undefined extends T ? Member : never) : never;
}[keyof G];

type Flat<T> = { [Member in keyof T]: T[Member] };

/** The values of a group of settings; a setting that may be left out is an optional member. */
export type Values<G> = Flat<
  { [Member in Exclude<keyof G, MayBeAbsent<G>>]: Value<G[Member]> } & {
    [Member in MayBeAbsent<G>]?: Value<G[Member]>;
  }
>;

/** Settings that cannot be read, by name: what is wrong with each. */
export type Wrong = Map<string, string>;

/**
 * Reads a group from the environment, in the order of the table. A setting that cannot be read is noted in `wrong` and
 * has its default, so that the others can be judged too.
 */
export function valuesOf<G extends Group>(group: G, env: NodeJS.ProcessEnv, wrong: Wrong): Values<G> {
  const read = (node: Setting<unknown> | Group) =>
    node instanceof Setting ? readOne(node, env, wrong) : valuesOf(node, env, wrong);
  return Object.fromEntries(Object.entries(group).map(([member, node]) => [member, read(node)])) as Values<G>;
}

function readOne(setting: Setting<unknown>, env: NodeJS.ProcessEnv, wrong: Wrong): unknown {
  try {
    return setting.read(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    wrong.set(setting.name, error.message);
    return setting.read({});
  }
}

/** Every setting of a group, in the order of the table. */
export function settingsIn(group: Group): Setting<unknown>[] {
  return Object.values(group).flatMap((node) => (node instanceof Setting ? [node] : settingsIn(node)));
}
