import PrintIcon from '@mui/icons-material/PrintOutlined';
import { Button } from '@mui/material';
import { useNotify, useTranslate } from 'react-admin';
import { saveFile } from '../server/export';
import { problemText } from './problem';

interface PrintButtonProps {
  path: string;
  params?: Record<string, string>;
  query?: object;
  /** Of the file, without its ending. */
  name: string;
}

/** Saves what an address answers as PDF. */
export function PrintButton({ path, params = {}, query, name }: PrintButtonProps) {
  const translate = useTranslate();
  const notify = useNotify();
  const save = () =>
    saveFile(path, params, 'application/pdf', `${name}.pdf`, query).catch((error) =>
      notify(problemText(error, translate), { type: 'error' }),
    );
  return (
    <Button size="small" startIcon={<PrintIcon />} onClick={save}>
      {translate('console.print')}
    </Button>
  );
}
