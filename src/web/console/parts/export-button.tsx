import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import { Button } from '@mui/material';
import { useState } from 'react';
import { useListContext, useNotify, useResourceContext, useTranslate } from 'react-admin';
import { resourceOf } from '../registry';
import { saveCsv } from '../server/export';
import { problemText } from './problem';

/** Saves the whole list, with the filters that are set, as the API writes it. */
export function ExportButton() {
  const name = useResourceContext()!;
  const { filterValues } = useListContext();
  const [isRunning, setRunning] = useState(false);
  const translate = useTranslate();
  const notify = useNotify();
  const save = async () => {
    setRunning(true);
    try {
      await saveCsv(resourceOf(name).list, name, filterValues ?? {});
    } catch (error) {
      notify('console.list.exportFailed', {
        type: 'error',
        messageArgs: { reason: problemText(error, translate) },
      });
    } finally {
      setRunning(false);
    }
  };
  return (
    <Button size="small" startIcon={<DownloadIcon />} onClick={save} disabled={isRunning}>
      {translate(isRunning ? 'console.list.exporting' : 'console.list.export')}
    </Button>
  );
}
