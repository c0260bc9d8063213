import {
  Link as Anchor,
  Box,
  Card,
  List as Lines,
  ListItemButton,
  type Theme,
  Typography,
  useMediaQuery,
} from '@mui/material';
import type { ReactElement, ReactNode } from 'react';
import {
  DataTable,
  FilterButton,
  List,
  type RaRecord,
  TopToolbar,
  useListContext,
  useResourceContext,
  useTranslate,
} from 'react-admin';
import { Link } from 'react-router';
import type { Resource } from '../area';
import { resourceOf } from '../registry';
import { type Scope, useScope } from '../session/scope';
import { CsvButton } from './csv-button';
import { Heading } from './heading';
import { Pages } from './pages';
import { Problem } from './problem';

/** A column, and what a record has in it. On a phone the first one is the heading of a card, the others its lines. */
export interface Column<Row> {
  /** Key of its name in the words. */
  label: string;
  of(row: Row): ReactNode;
  /** Numbers and amounts stand on the right. */
  end?: boolean;
  /** Only where there is room. */
  wide?: boolean;
}

export interface ListPageProps<Row> {
  columns: readonly Column<Row>[];
  /** React-admin inputs; their `source` is a query parameter of the list. */
  filters?: readonly ReactElement<{ alwaysOn?: boolean }>[];
  /** Filters that hold until somebody chooses others. */
  filterDefaults?: object;
  /** What a press on a row opens: the record's page unless told otherwise. */
  to?: ((row: Row) => string) | false;
  /** Buttons beside the export. */
  acts?: ReactNode;
  /** Above the table. */
  aside?: ReactNode;
  /** What is ticked, and what may be done with all of it. */
  bulk?: ReactElement | false;
  /** The API has no CSV of this list. */
  withoutExport?: boolean;
}

const ROWS = 25;

/** The list of a resource: filters that stay in the address, keyset pages, CSV of all of it, cards on a phone. */
export function ListPage<Row extends object>(props: ListPageProps<Row>) {
  const name = useResourceContext()!;
  const { needs } = resourceOf(name);
  const scope = useScope();
  const translate = useTranslate();
  const { filters = [], filterDefaults, acts, aside, withoutExport } = props;
  const title = translate(`resources.${name}.name`, { smart_count: 2 });
  const missing = missingIn(scope, needs);
  if (missing) return <Choose title={title} text={translate(missing)} />;
  return (
    <>
      <Heading title={title} />
      <List
        // Another organization's list is another list.
        key={`${scope.tenantId}/${scope.organizationId}`}
        title={false}
        perPage={ROWS}
        exporter={false}
        pagination={<Pages />}
        empty={false}
        // The address says all: two tabs with different filters do not disturb each other.
        storeKey={false}
        filterDefaultValues={filterDefaults}
        filters={filters.length > 0 ? [...filters] : undefined}
        actions={
          <TopToolbar sx={{ flexWrap: { xs: 'wrap', md: 'nowrap' }, flexShrink: 0, gap: 1 }}>
            {filters.some(({ props: { alwaysOn } }) => !alwaysOn) && <FilterButton />}
            {acts}
            {!withoutExport && <ExportButton />}
          </TopToolbar>
        }
        sx={{ '& .RaList-main': { minWidth: 0 } }}
      >
        {aside}
        <Rows {...props} />
      </List>
    </>
  );
}

function ExportButton() {
  const name = useResourceContext()!;
  const { filterValues } = useListContext();
  return <CsvButton path={resourceOf(name).list} query={filterValues ?? {}} name={name} />;
}

function Rows<Row extends object>({ columns, to, bulk = false }: ListPageProps<Row>) {
  const name = useResourceContext()!;
  const narrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('md'));
  const translate = useTranslate();
  const { data, error, filterValues, isPending } = useListContext<RaRecord>();
  const hasPage = resourceOf(name).pages.show !== undefined;
  const addressOf = (row: RaRecord): string | false =>
    to === false ? false : to ? to(row as never) : hasPage && `/${name}/${encodeURIComponent(row.id)}/show`;
  if (error)
    return (
      <Box sx={{ p: 2 }}>
        <Problem error={error} />
      </Box>
    );
  const none = (
    <Typography sx={{ p: 3 }} color="text.secondary">
      {translate(Object.keys(filterValues ?? {}).length > 0 ? 'console.list.noneFound' : 'console.list.none')}
    </Typography>
  );
  if (narrow && !bulk) {
    if (isPending) return null;
    if (!data?.length) return none;
    return (
      <Lines disablePadding>
        {data.map((row) => (
          <CardLine key={row.id} row={row as never} to={addressOf(row)} columns={columns} />
        ))}
      </Lines>
    );
  }
  return (
    // Who has only a keyboard scrolls a wide table with the arrows.
    <Box
      role="group"
      aria-label={translate(`resources.${name}.name`, { smart_count: 2 })}
      tabIndex={0}
      sx={{ overflowX: 'auto' }}
    >
      <DataTable
        rowClick={(_id, _resource, row) => addressOf(row)}
        bulkActionButtons={bulk}
        empty={none}
        sx={{ '& .RaDataTable-headerCell': { backgroundColor: 'background.paper' } }}
      >
        {columns.map(({ label, of, end }, at) => (
          <DataTable.Col
            key={label}
            label={translate(label)}
            disableSort
            align={end ? 'right' : 'left'}
            render={(row: RaRecord) =>
              at === 0 ? <Opening to={addressOf(row)}>{of(row as never)}</Opening> : of(row as never)
            }
          />
        ))}
      </DataTable>
    </Box>
  );
}

/** The first cell opens the record, for those who do not press on rows. */
function Opening({ to, children }: { to: string | false; children: ReactNode }) {
  if (to === false) return children;
  return (
    <Anchor component={Link} to={to} color="inherit">
      {children}
    </Anchor>
  );
}

function CardLine<Row extends object>({
  row,
  to,
  columns,
}: {
  row: Row;
  to: string | false;
  columns: readonly Column<Row>[];
}) {
  const translate = useTranslate();
  const [first, ...others] = columns.filter(({ wide }) => !wide);
  const content = (
    <Box sx={{ width: '100%', minWidth: 0 }}>
      <Typography component="div" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
        {first!.of(row)}
      </Typography>
      {others.map(({ label, of }) => (
        <Box key={label} sx={{ display: 'flex', gap: 1, justifyContent: 'space-between', alignItems: 'baseline' }}>
          <Typography variant="body2" color="text.secondary" component="span">
            {translate(label)}
          </Typography>
          <Typography
            variant="body2"
            component="span"
            sx={{ textAlign: 'right', overflowWrap: 'anywhere', minWidth: 0 }}
          >
            {of(row)}
          </Typography>
        </Box>
      ))}
    </Box>
  );
  return (
    <li>
      {to === false ? (
        <Box sx={{ px: 2, py: 1.5, borderBottom: 1, borderColor: 'divider' }}>{content}</Box>
      ) : (
        <ListItemButton divider component={Link} to={to}>
          {content}
        </ListItemButton>
      )}
    </li>
  );
}

/** What somebody has to choose before there is anything to see: a key of the words. */
function missingIn(scope: Scope, needs: Resource['needs']): string | undefined {
  if (needs === 'organization' && !scope.organizationId) return 'console.scope.chooseOrganization';
  if (needs === 'tenant' && !scope.tenantId) return 'console.scope.chooseTenant';
  return undefined;
}

function Choose({ title, text }: { title: string; text: string }) {
  return (
    <>
      <Heading title={title} />
      <Card sx={{ p: 3 }}>
        <Typography>{text}</Typography>
      </Card>
    </>
  );
}
