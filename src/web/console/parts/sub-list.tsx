import { Button } from '@mui/material';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { addressOf, type PathOf, type RecordOf, request } from '../server/api';
import { currentScope } from '../session/scope';
import { CsvButton } from './csv-button';
import { Section } from './facts';
import type { Column } from './list-page';
import { PlainTable } from './plain-table';
import { Problem } from './problem';

export interface SubListProps<P extends PathOf<'get'>> {
  title: string;
  path: P;
  /** Parameters of the path. */
  params: Record<string, string>;
  query?: Record<string, string | undefined>;
  /** Beside those of every request: `UNSCOPED` for a list that is of no tenant. */
  headers?: Record<string, string | undefined>;
  /** Name of the file of the export. */
  name: string;
  columns: readonly Column<RecordOf<P>>[];
  keyOf(row: RecordOf<P>): string;
}

const ROWS = 25;

/** A list that belongs to a record: its rows page after page, and all of it as CSV. */
export function SubList<P extends PathOf<'get'>>(props: SubListProps<P>) {
  const { title, path, params, query, headers, name, columns, keyOf } = props;
  const translate = useTranslate();
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['sub-list', path, params, query, currentScope()],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const sent = { path: params, query: { ...query, limit: ROWS, cursor: pageParam }, headers, signal };
      const response = await request('get', path as string, sent);
      return (await response.json()) as { data: RecordOf<P>[]; nextCursor?: string | null };
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Section
      title={title}
      acts={
        rows.length > 0 && (
          <CsvButton
            path={addressOf(path as string, params)}
            query={query ?? {}}
            headers={headers}
            name={name}
            label={title}
          />
        )
      }
    >
      <Problem error={error} />
      {data && <PlainTable name={`${title}: ${name}`} columns={columns} rows={rows} keyOf={keyOf} />}
      {hasNextPage && (
        <Button size="small" disabled={isFetching} onClick={() => void fetchNextPage()} sx={{ mt: 1 }}>
          {translate('console.list.more')}
        </Button>
      )}
    </Section>
  );
}
