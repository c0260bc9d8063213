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

/**
 * The rows of a statement that is sent often, on a connection that nobody else uses meanwhile. `known`: what it is called in
 * this process; with a name in `config`, Postgres knows it too. Rejects with the error of the database.
 */
export function rowsOf<Row>(connection: Client, known: string, config: QueryConfig): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const query: RowsQuery<Row> = new RowsQuery(known, config, (error) => {
      const failure = error ?? query.unreadable;
      if (failure) reject(failure);
      else resolve(query.found);
    });
    connection.query(query);
  });
}

/**
 * Postgres describes the rows with each answer, and pg makes parsers of the description each time: with one row of many columns,
 * most of its work. This query keeps them while the description stays the same.
 */
class RowsQuery<Row> extends Query {
  readonly found: Row[] = [];
  unreadable?: Error;
  private shape!: Shape;

  constructor(
    private readonly known: string,
    config: QueryConfig,
    done: (error: Error | null | undefined) => void,
  ) {
    super(config, done);
  }

  /** pg calls it before the first row. */
  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    const earlier = shapes.get(this.known);
    this.shape = earlier && isSame(earlier.columns, fields) ? earlier : shapeOf(fields);
    shapes.set(this.known, this.shape);
  }

  /** pg calls it with the values of each row, as text. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { columns, parsers, empty } = this.shape;
    const row = { ...empty };
    try {
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
