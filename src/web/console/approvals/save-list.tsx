import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import { Button } from '@mui/material';
import { useNotify, useTranslate } from 'react-admin';
import { problemText } from '../parts/problem';
import { saveCsv } from '../server/export';

/** All that waits, with the filters that are set, as CSV. */
export function SaveList({ query }: { query: object }) {
  const translate = useTranslate();
  const notify = useNotify();
  const save = () =>
    saveCsv('/approvals/1.0.0/approvals', 'approvals', query).catch((error) =>
      notify('console.list.exportFailed', { type: 'error', messageArgs: { reason: problemText(error, translate) } }),
    );
  return (
    <Button size="small" startIcon={<DownloadIcon />} onClick={save}>
      {translate('console.list.export')}
    </Button>
  );
}
