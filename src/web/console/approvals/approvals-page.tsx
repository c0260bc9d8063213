import ExpandMoreIcon from '@mui/icons-material/ExpandMore';
import { Box, Button, Card, Checkbox, Collapse, FormControlLabel, IconButton, Typography } from '@mui/material';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { useSearchParams } from 'react-router';
import { Amount } from '../parts/amount';
import { CsvButton } from '../parts/csv-button';
import { Heading } from '../parts/heading';
import { ChoiceInput } from '../parts/input';
import { Instant } from '../parts/instant';
import { Problem } from '../parts/problem';
import { Status } from '../parts/status';
import { api } from '../server/api';
import { useScope } from '../session/scope';
import { type Approval, KINDS, type Kind } from './approval';
import { Decide, type Decision, Outcomes } from './decide';
import { Detail } from './detail';

const ROWS = 50;
/** The API decides about so many at once. */
const MOST = 200;

/** One list of everything that waits: look at it in place, choose some, decide about all of them. */
export default function ApprovalsPage() {
  const translate = useTranslate();
  const scope = useScope();
  const [search, setSearch] = useSearchParams();
  const kind = KINDS.find((one) => one === search.get('kind'));
  const { organizationId } = scope;
  const [chosen, setChosen] = useState<ReadonlyMap<string, Approval>>(new Map());
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetching, refetch } = useInfiniteQuery({
    queryKey: ['approvals', kind, scope],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.get('/approvals/1.0.0/approvals', {
        query: { kind, organizationId, limit: ROWS, cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  const put = (some: readonly Approval[], isChosen: boolean) =>
    setChosen((now) => {
      const next = new Map(now);
      for (const one of some) {
        if (!isChosen) next.delete(one.approvalId);
        else if (next.size < MOST) next.set(one.approvalId, one);
      }
      return next;
    });
  const decided = (made: readonly Decision[]) => {
    setDecisions(made);
    setChosen(new Map());
    void refetch();
  };
  const isAll = rows.length > 0 && rows.every(({ approvalId }) => chosen.has(approvalId));
  return (
    <>
      <Heading
        title={translate('resources.approvals.name', { smart_count: 2 })}
        acts={<CsvButton path="/approvals/1.0.0/approvals" query={{ kind, organizationId }} name="approvals" />}
      />
      <Typography color="text.secondary">{translate('approvals.intro')}</Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center', my: 2 }}>
        <Box sx={{ width: 220 }}>
          <ChoiceInput
            label={translate('approvals.kind')}
            value={kind ?? 'all'}
            onChange={(value) => {
              setChosen(new Map());
              setSearch(value === 'all' ? {} : { kind: value });
            }}
            choices={[
              { id: 'all', name: translate('approvals.all') },
              ...KINDS.map((id) => ({ id, name: translate(`approvals.kinds.${id}`) })),
            ]}
          />
        </Box>
        {rows.length > 0 && (
          <FormControlLabel
            control={<Checkbox checked={isAll} onChange={(_, isChosen) => put(rows, isChosen)} />}
            label={translate('approvals.chooseAll')}
          />
        )}
        <Box sx={{ flex: 1 }} />
        <Decide decision="approve" chosen={[...chosen.values()]} onDecided={decided} />
        <Decide decision="reject" chosen={[...chosen.values()]} onDecided={decided} />
      </Box>
      {chosen.size >= MOST && (
        <Typography variant="body2" role="status">
          {translate('approvals.most', { most: MOST })}
        </Typography>
      )}
      <Problem error={error} />
      <Outcomes decisions={decisions} />
      {!isPending && !error && rows.length === 0 && (
        <Card sx={{ p: 3 }}>
          <Typography>{translate('approvals.none')}</Typography>
        </Card>
      )}
      <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {rows.map((approval) => (
          <Entry
            key={approval.approvalId}
            approval={approval}
            isChosen={chosen.has(approval.approvalId)}
            onChoose={(isChosen) => put([approval], isChosen)}
          />
        ))}
      </Box>
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
          {translate('console.list.more')}
        </Button>
      )}
    </>
  );
}

interface EntryProps {
  approval: Approval;
  isChosen: boolean;
  onChoose(isChosen: boolean): void;
}

function Entry({ approval, isChosen, onChoose }: EntryProps) {
  const translate = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const { title, kind, amount, currency, waitingSince, dueAt, needs, approvedBy } = approval;
  return (
    <Card component="li" sx={{ mb: 1 }}>
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 1, p: 1 }}>
        <Checkbox
          checked={isChosen}
          onChange={(_, now) => onChoose(now)}
          slotProps={{ input: { 'aria-label': translate('approvals.choose', { title }) } }}
        />
        <Box sx={{ flex: 1, minWidth: 0, pt: 0.75 }}>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
            <Typography component="h2" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
              {title}
            </Typography>
            <Status value={kind} label={translate(`approvals.kinds.${kind}`)} tone={TONES[kind]} />
            <Amount amount={amount} currency={currency} />
          </Box>
          <Typography variant="body2" color="text.secondary">
            {translate('approvals.waits')} <Instant at={waitingSince} />
            {dueAt && (
              <>
                {' · '}
                {translate('approvals.due')} <Instant at={dueAt} />
              </>
            )}
            {needs > 1 &&
              ` · ${translate('approvals.needs')} ${translate('approvals.needsOf', { have: approvedBy.length, needs })}`}
          </Typography>
        </Box>
        <IconButton
          aria-label={translate('approvals.details', { title })}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <ExpandMoreIcon sx={{ transform: isOpen ? 'rotate(180deg)' : undefined }} />
        </IconButton>
      </Box>
      <Collapse in={isOpen} unmountOnExit>
        <Box sx={{ px: { xs: 2, sm: 7 }, pb: 2 }}>
          <Detail approval={approval} />
        </Box>
      </Collapse>
    </Card>
  );
}

const TONES: Record<Kind, 'plain' | 'moving' | 'waiting'> = {
  item: 'plain',
  payment_link: 'moving',
  document: 'waiting',
  customer: 'waiting',
  payout_account: 'moving',
};
