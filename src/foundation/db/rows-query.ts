import { type Client, type FieldDef, Query, type QueryConfig, types } from 'pg';

type Parse = (text: string) => unknown;

/** How to make objects of rows. */
interface Shape {
  columns: readonly FieldDef[];
  parsers: readonly Parse[];
  /** Each column, null. A row is a copy of it: V8 copies it fast, because it did not grow name by name. */
  empty: Record<string, unknown>;
}

/** By what the statement is called. Statements are fixed, so there are few. */
const shapes = new Map<string, Shape>();

/** What pg sends messages to Postgres by. */
interface Wire {
  describe(message: object): void;
}

/**
 * The shapes of what a connection has prepared, by its name there. They stay: what would have another shape since, Postgres
 * refuses to run under that name (0A000).
 */
const prepared = new WeakMap<Client, Map<string, Shape>>();

/**
 * The rows of a statement that is sent often, on a connection that nobody else uses meanwhile. `known`: what it is called in
 * this process; with a name in `config`, Postgres knows it too. Rejects with the error of the database.
 */
export function rowsOf<Row>(connection: Client, known: string, config: QueryConfig): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const shape = config.name ? prepared.get(connection)?.get(config.name) : undefined;
    const query: RowsQuery<Row> = new RowsQuery(known, shape, config, (error) => {
      const failure = error ?? query.unreadable;
      if (config.name && (failure || !shape)) keep(connection, config.name, failure ? undefined : query.shape);
      if (failure) reject(failure);
      else resolve(query.found);
    });
    if (shape) undescribed(connection, () => connection.query(query));
    else connection.query(query);
  });
}

/** After a failure it is described again: a pooler that nobody named may have prepared it on another session since. */
function keep(connection: Client, name: string, shape: Shape | undefined): void {
  const known = prepared.get(connection) ?? new Map<string, Shape>();
  prepared.set(connection, known);
  if (shape) known.set(name, shape);
  else known.delete(name);
}

/** One for all: V8 would make one for each statement, in the old generation (answer-limit.ts). */
const nothing = (): void => undefined;

/** pg asks for a description of the rows with each query: it does not with what `send` sends. */
function undescribed(connection: Client, send: () => void): void {
  const { connection: wire } = connection as unknown as { connection: Wire };
  const { describe } = wire;
  wire.describe = nothing;
  try {
    send();
  } finally {
    wire.describe = describe;
  }
}

/**
 * Of a description of many columns pg makes parsers with each answer, which is most of its work where there is one row. This
 * query keeps them while the description stays the same.
 */
class RowsQuery<Row> extends Query {
  readonly found: Row[] = [];
  unreadable?: Error;

  /** `shape`: of its rows, where that is known; then they need not be described. */
  constructor(
    private readonly known: string,
    public shape: Shape | undefined,
    config: QueryConfig,
    done: (error: Error | null | undefined) => void,
  ) {
    super(config, done);
  }

  /** pg calls it before the first row, when it has asked for it. */
  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    const earlier = shapes.get(this.known);
    this.shape = earlier && isSame(earlier.columns, fields) ? earlier : shapeOf(fields);
    shapes.set(this.known, this.shape);
  }

  /** pg calls it with the values of each row, as text. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { columns, parsers, empty } = this.shape!;
    const row = { ...empty };
    try {
      if (fields.length !== columns.length) throw new Error('a row has other columns than its description');
      for (let at = 0; at < columns.length; at += 1) {
        const text = fields[at]!;
        row[columns[at]!.name] = text === null ? null : parsers[at]!(text);
      }
      this.found.push(row as Row);
    } catch (error) {
      // The connection must read on, to the end of the answer.
      this.unreadable = error as Error;
    }
  }
}

function isSame(known: readonly FieldDef[], fields: readonly FieldDef[]): boolean {
  if (known.length !== fields.length) return false;
  for (let at = 0; at < fields.length; at += 1)
    if (known[at]!.name !== fields[at]!.name || known[at]!.dataTypeID !== fields[at]!.dataTypeID) return false;
  return true;
}

function shapeOf(columns: readonly FieldDef[]): Shape {
  const empty = Object.fromEntries(columns.map(({ name }) => [name, null]));
  return {
    columns,
    parsers: columns.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as Parse),
    empty: JSON.parse(JSON.stringify(empty)),
  };
}
