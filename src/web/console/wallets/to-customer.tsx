import { TextLink } from '../parts/text-link';

/** The way to a customer's page. */
export function ToCustomer({ id, text }: { id: string | undefined; text?: string }) {
  if (!id) return text ?? null;
  return <TextLink to={`/customers/${id}/show`}>{text ?? id}</TextLink>;
}
