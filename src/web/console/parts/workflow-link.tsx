import OpenInNewIcon from '@mui/icons-material/OpenInNew';
import { Link, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { api } from '../server/api';

/**
 * Opens a workflow in the pages of the engine, in another tab, or says that there is none. Nothing where the settings name no
 * such pages.
 */
export function WorkflowLink({ workflowId }: { workflowId: string | undefined }) {
  const translate = useTranslate();
  const { data: engine } = useQuery({
    queryKey: ['engine'],
    queryFn: ({ signal }) => api.get('/ops/1.0.0/engine', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: flow } = useQuery({
    queryKey: ['flow', workflowId],
    queryFn: ({ signal }) => api.get('/ops/1.0.0/flows', { query: { workflowId: workflowId! }, signal }),
    enabled: workflowId !== undefined && Boolean(engine?.uiUrl),
  });
  if (!workflowId || !engine?.uiUrl) return null;
  if (flow?.standing === 'none')
    return (
      <Typography component="span" variant="body2" color="text.secondary">
        {translate('console.record.no_workflow')}
      </Typography>
    );
  const { uiUrl, namespace } = engine;
  return (
    <Link
      href={`${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`}
      target="_blank"
      rel="noopener"
      // As high as a finger needs it in a line of its own.
      sx={{ display: 'inline-flex', minHeight: 24, alignItems: 'center', gap: 0.5, overflowWrap: 'anywhere' }}
    >
      {translate('console.record.workflow')}
      <OpenInNewIcon aria-hidden sx={{ fontSize: 14 }} />
    </Link>
  );
}
