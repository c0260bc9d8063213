import { Link as Anchor } from '@mui/material';
import { Link } from 'react-router';

/** The way to a customer's page. */
export function ToCustomer({ id, text }: { id: string | undefined; text?: string }) {
  if (!id) return text ?? null;
  return (
    <Anchor component={Link} to={`/customers/${id}/show`} onClick={(event) => event.stopPropagation()}>
      {text ?? id}
    </Anchor>
  );
}
