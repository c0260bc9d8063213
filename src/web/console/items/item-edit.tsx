import { useGetOne } from 'react-admin';
import { useParams } from 'react-router';
import { Problem } from '../parts/problem';
import type { Item } from './item';
import { ItemForm } from './item-form';

export default function ItemEdit() {
  const { id = '' } = useParams();
  const { data, error } = useGetOne('items', { id });
  if (error) return <Problem error={error} />;
  return data ? <ItemForm item={data as unknown as Item} /> : null;
}
