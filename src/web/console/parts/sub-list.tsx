import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import { Box, Button, Table, TableBody, TableCell, TableHead, TableRow, Typography } from '@mui/material';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNotify, useTranslate } from 'react-admin';
import { addressOf, type PathOf, type RecordOf, request } from '../server/api';
import { saveCsv } from '../server/export';
import { currentScope } from '../session/scope';
import { Section } from './facts';
import type { Column } from './list-page';
import { Problem, problemText } from './problem';

export interface SubListProps<P extends PathOf<'get'>> {
  title: string;
  path: P;
  /** Parameters of the path. */
  params: Record<string, string>;
  query?: Record<string, string | undefined>;
  /** Name of the file of the export. */
  name: string;
  columns: readonly Column<RecordOf<P>>[];
  keyOf(row: RecordOf<P>): string;
}

const ROWS = 25;

/** A list that belongs to a record: its rows page after page, and all of it as CSV. */
export function SubList<P extends PathOf<'get'>>(props: SubListProps<P>) {
  const { title, path, params, query, name, columns, keyOf } = props;
  const translate = useTranslate();
  const notify = useNotify();
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['sub-list', path, params, query, currentScope()],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const sent = { path: params, query: { ...query, limit: ROWS, cursor: pageParam }, signal };
      const response = await request('get', path as string, sent);
      return (await response.json()) as { data: RecordOf<P>[]; nextCursor?: string | null };
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  const save = () =>
    saveCsv(addressOf(path as string, params), name, query ?? {}).catch((thrown) =>
      notify('console.list.exportFailed', {
        type: 'error',
        messageArgs: { reason: problemText(thrown, translate) },
      }),
    );
  return (
    <Section
      title={title}
      acts={
        rows.length > 0 && (
          <Button
            size="small"
            startIcon={<DownloadIcon />}
            aria-label={`${translate('console.list.export')}: ${title}`}
            onClick={save}
          >
            {translate('console.list.export')}
          </Button>
        )
      }
    >
      <Problem error={error} />
      {data && rows.length === 0 && <Typography color="text.secondary">{translate('console.list.none')}</Typography>}
      {rows.length > 0 && (
        // Who has only a keyboard scrolls a wide table with the arrows.
        <Box component="section" aria-label={`${title}: ${name}`} tabIndex={0} sx={{ overflowX: 'auto' }}>
          <Table size="small">
            <TableHead>
              <TableRow>
                {columns.map(({ label, end }) => (
                  <TableCell key={label} align={end ? 'right' : 'left'}>
                    {translate(label)}
                  </TableCell>
                ))}
              </TableRow>
            </TableHead>
            <TableBody>
              {rows.map((row) => (
                <TableRow key={keyOf(row)}>
                  {columns.map(({ label, of, end }) => (
                    <TableCell key={label} align={end ? 'right' : 'left'}>
                      {of(row)}
                    </TableCell>
                  ))}
                </TableRow>
              ))}
            </TableBody>
          </Table>
        </Box>
      )}
      {hasNextPage && (
        <Button size="small" disabled={isFetching} onClick={() => void fetchNextPage()} sx={{ mt: 1 }}>
          {translate('console.list.more')}
        </Button>
      )}
    </Section>
  );
}
