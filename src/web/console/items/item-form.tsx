import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import { Box, Button, IconButton, Typography } from '@mui/material';
import { type ChangeEvent, useRef, useState } from 'react';
import { useTranslate } from 'react-admin';
import { useNavigate } from 'react-router';
import { FormPage } from '../parts/form-page';
import { AmountInput, Input } from '../parts/input';
import { Problem } from '../parts/problem';
import { api } from '../server/api';
import { type Item, pictureOf } from './item';

interface Picture {
  imageId: string;
  /** Where it is shown from: an uploaded one is in the browser still. */
  source: string;
}

/** A new item, or a change of one. */
export function ItemForm({ item }: { item?: Item }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const [fields, setFields] = useState({
    sku: item?.sku ?? '',
    name: item?.name ?? '',
    description: item?.description ?? '',
    price: item?.price ?? '',
    currency: item?.currency ?? 'EUR',
    quantity: String(item?.quantity ?? 0),
  });
  const [pictures, setPictures] = useState<Picture[]>(
    (item?.images ?? []).map((imageId) => ({ imageId, source: pictureOf(item!.itemId, imageId) })),
  );
  const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value });
  const { quantity, description, ...texts } = fields;
  const images = pictures.map(({ imageId }) => imageId);
  // Stock of an item that is there is counted in or out, with a reason.
  const body = { ...texts, images, ...((description || item) && { description }) };
  return (
    <FormPage
      title={translate(item ? 'items.edit' : 'items.add')}
      id={item ? `change/${item.itemId}` : 'create/item'}
      label={translate('items.save')}
      intro={translate(item ? 'items.editIntro' : 'items.addIntro')}
      values={{ body, quantity }}
      send={({ idempotencyKey }) =>
        item
          ? api.put('/inventory/1.0.0/items/{itemId}', { path: { itemId: item.itemId }, body })
          : api.post('/inventory/1.0.0/items', { body: { ...body, quantity: Number(quantity) }, idempotencyKey })
      }
      onDone={(saved) => navigate(`/items/${saved.itemId}/show`)}
    >
      <Input label={translate('items.name')} value={fields.name} onChange={set('name')} required />
      <Input label={translate('items.sku')} value={fields.sku} onChange={set('sku')} required />
      <Input
        label={translate('items.description')}
        value={description}
        onChange={set('description')}
        multiline
        minRows={2}
      />
      <Box sx={{ display: 'flex', gap: 2 }}>
        <AmountInput label={translate('items.price')} value={fields.price} onChange={set('price')} required />
        <Input label={translate('items.currency')} value={fields.currency} onChange={set('currency')} required />
      </Box>
      {!item && (
        <Input
          label={translate('items.quantity')}
          value={quantity}
          onChange={set('quantity')}
          type="number"
          slotProps={{ htmlInput: { min: 0 } }}
          required
        />
      )}
      <Pictures pictures={pictures} onChange={setPictures} />
    </FormPage>
  );
}

function Pictures({ pictures, onChange }: { pictures: Picture[]; onChange(pictures: Picture[]): void }) {
  const translate = useTranslate();
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const upload = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    setError(undefined);
    setBusy(true);
    const added: Picture[] = [];
    try {
      for (const file of Array.from(target.files ?? [])) {
        const { imageId } = await api.post('/inventory/1.0.0/images', { file });
        added.push({ imageId, source: URL.createObjectURL(file) });
      }
    } catch (thrown) {
      setError(thrown);
    }
    onChange([...pictures, ...added]);
    setBusy(false);
    target.value = '';
  };
  return (
    <Box sx={{ mt: 1 }}>
      <Typography component="h2" variant="subtitle2">
        {translate('items.pictures')}
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, my: 1 }}>
        {pictures.map(({ imageId, source }, index) => (
          <Box key={imageId} sx={{ position: 'relative' }}>
            <Box
              component="img"
              src={source}
              alt={translate('items.picture', { number: index + 1 })}
              sx={{ width: 96, height: 96, objectFit: 'cover', borderRadius: 1, border: 1, borderColor: 'divider' }}
            />
            <IconButton
              size="small"
              aria-label={translate('items.removePicture', { number: index + 1 })}
              onClick={() => onChange(pictures.filter((one) => one.imageId !== imageId))}
              sx={{ position: 'absolute', top: 2, right: 2, bgcolor: 'background.paper' }}
            >
              <DeleteIcon fontSize="small" />
            </IconButton>
          </Box>
        ))}
      </Box>
      <Button size="small" variant="outlined" disabled={isBusy} onClick={() => input.current?.click()}>
        {translate('items.addPicture')}
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        multiple
        accept="image/png,image/jpeg,image/webp"
        aria-label={translate('items.addPicture')}
        onChange={upload}
      />
      <Problem error={error} />
    </Box>
  );
}
