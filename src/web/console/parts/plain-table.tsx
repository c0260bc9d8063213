import { Box, Table, TableBody, TableCell, TableHead, TableRow, Typography } from '@mui/material';
import { useTranslate } from 'react-admin';
import type { Column } from './list-page';

export interface PlainTableProps<Row> {
  /** What it shows, for those who do not see it. */
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}

/** A few rows that need no pages. */
export function PlainTable<Row>({ name, columns, rows, keyOf }: PlainTableProps<Row>) {
  const translate = useTranslate();
  if (rows.length === 0) return <Typography color="text.secondary">{translate('console.list.none')}</Typography>;
  return (
    // Who has only a keyboard scrolls a wide table with the arrows.
    <Box role="group" aria-label={name} tabIndex={0} sx={{ overflowX: 'auto' }}>
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
  );
}
