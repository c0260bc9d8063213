/** A JSON value of the document. */
// biome-ignore lint/suspicious/noExplicitAny: JSON Schema and OpenAPI are open structures
export type Json = any;

/**
 * What Joi says of the members of one object among each other, and its own JSON Schema leaves out: `and`, `with`,
 * `without`, `oxor`, and `when` over a sibling. Answers schemas that all hold, for `allOf`. `described`: `describe()` of
 * the object. `json`: its JSON Schema so far. With `nullIsAbsent` a member that is `null` is not there.
 */
export function conditionsOf(described: Json, json: Json, nullIsAbsent: boolean): Json[] {
  const words = new Words(nullIsAbsent);
  const keys = Object.entries<Json>(described.keys ?? {});
  return [
    ...(described.dependencies ?? []).flatMap((rule: Json) => words.dependency(rule)),
    ...keys.flatMap(([name, child]) =>
      (child.whens ?? []).flatMap((when: Json) => words.when(name, when, described.keys, json.properties?.[name])),
    ),
  ];
}

class Words {
  constructor(private readonly nullIsAbsent: boolean) {}

  dependency({ rel, key, peers }: Json): Json[] {
    switch (rel) {
      case 'and':
        return peers.map((peer: string) => ({
          if: this.present(peer),
          then: this.present(...peers.filter((other: string) => other !== peer)),
        }));
      case 'with':
        return [{ if: this.present(key), then: this.present(...peers) }];
      case 'without':
        return peers.map((peer: string) => ({ not: this.present(key, peer) }));
      case 'oxor':
        return pairs(peers).map((pair) => ({ not: this.present(...pair) }));
      default:
        return [];
    }
  }

  when(name: string, { ref, is, then, otherwise }: Json, siblings: Json, json: Json): Json[] {
    const sibling: string = ref?.path?.[0];
    if (ref?.type || ref?.ancestor || ref?.path?.length !== 1 || !siblings[sibling]) return [];
    const condition = this.condition(sibling, is, siblings[sibling]);
    if (!condition) return [];
    const forms: Json[] = then && otherwise && ![then, otherwise].some(({ type }) => type === 'any') ? json?.anyOf : [];
    const [yes, no] = forms?.length === 2 ? forms : [];
    const parts = { then: this.outcome(name, then, yes), else: this.outcome(name, otherwise, no) };
    const said = Object.entries(parts).filter(([, schema]) => schema);
    return said.length === 0 ? [] : [{ if: condition, ...Object.fromEntries(said) }];
  }

  /** Undefined for what is not said here: a sibling that is compared with more than fixed values. */
  private condition(sibling: string, is: Json, { flags }: Json): Json | undefined {
    if (is?.type !== 'any' || is.rules) return undefined;
    const values = is.allow?.filter((value: unknown) => typeof value !== 'object');
    if (!values) return is.flags?.presence === 'required' ? this.present(sibling) : undefined;
    if (!values.includes(flags?.default)) return { properties: { [sibling]: { enum: values } }, required: [sibling] };
    return { properties: { [sibling]: { enum: [...values, ...this.nothing] } } };
  }

  /** What then holds for the member. `form`: its schema, where it has a schema of its own then. */
  private outcome(name: string, described: Json | undefined, form?: Json): Json | undefined {
    const presence = described?.flags?.presence;
    if (presence === 'forbidden') return this.nullIsAbsent ? absentOrNull(name) : { not: this.present(name) };
    const own = form ? structuredClone(form) : this.oneOf(described);
    if (!own && presence !== 'required') return undefined;
    const required = presence === 'required' ? this.present(name) : {};
    return own ? { ...required, properties: { [name]: own } } : required;
  }

  private oneOf(described: Json | undefined): Json | undefined {
    return described?.flags?.only && described.type === 'any'
      ? { enum: [...described.allow, ...this.nothing] }
      : undefined;
  }

  private get nothing(): null[] {
    return this.nullIsAbsent ? [null] : [];
  }

  private present(...names: string[]): Json {
    const value = { not: { type: 'null' } };
    return {
      required: names,
      ...(this.nullIsAbsent && { properties: Object.fromEntries(names.map((name) => [name, value])) }),
    };
  }
}

const absentOrNull = (name: string): Json => ({ properties: { [name]: { type: 'null' } } });

function pairs(names: readonly string[]): string[][] {
  return names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other]));
}
