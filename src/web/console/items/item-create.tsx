import { ItemForm } from './item-form';

export default function ItemCreate() {
  return <ItemForm />;
}
