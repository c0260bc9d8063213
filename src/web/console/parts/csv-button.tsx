import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import { Button } from '@mui/material';
import { useState } from 'react';
import { useNotify, useTranslate } from 'react-admin';
import { saveCsv } from '../server/export';
import { problemText } from './problem';

export interface CsvButtonProps {
  /** The list's own address. */
  path: string;
  /** The filters that are set. */
  query: object;
  /** Beside those of every request. */
  headers?: Record<string, string | undefined>;
  /** Name of the file, unless the API gives it one. */
  name: string;
  /** What is saved, for those who do not see where the button stands. */
  label?: string;
}

/** Saves a whole list, not only the page, as the API writes it. */
export function CsvButton({ path, query, headers, name, label }: CsvButtonProps) {
  const [isRunning, setRunning] = useState(false);
  const translate = useTranslate();
  const notify = useNotify();
  const save = async () => {
    setRunning(true);
    try {
      await saveCsv(path, name, query, headers);
    } catch (error) {
      notify('console.list.exportFailed', {
        type: 'error',
        messageArgs: { reason: problemText(error, translate) },
      });
    } finally {
      setRunning(false);
    }
  };
  const text = translate(isRunning ? 'console.list.exporting' : 'console.list.export');
  return (
    <Button
      size="small"
      startIcon={<DownloadIcon />}
      aria-label={label && `${text}: ${label}`}
      onClick={save}
      disabled={isRunning}
    >
      {text}
    </Button>
  );
}
