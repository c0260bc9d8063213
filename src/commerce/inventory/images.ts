import type { Knex } from 'knex';
import { found, notFound, refuse } from '../../domain/errors';
import { IMAGE_TYPES } from '../../domain/file-type';
import type { Database } from '../../foundation/db/database';
import {
  completeFiles,
  type FileRow,
  type FileStore,
  type OpenedFile,
  type SentFile,
} from '../../foundation/files/file-store';
import { shrunk } from '../../foundation/files/pictures';
import type { ItemRow } from './item';

/** What one item can have; the database refuses more. */
export const MAX_IMAGES = 8;
/** As the page of buyers shows it, with twice as many pixels for sharp screens. */
const THUMBNAIL = { width: 128, height: 128 };
/** A picture that no item names by then never will be. */
const UNUSED_AFTER_MS = 24 * 3_600_000;

/** Pictures of items. A seller uploads them, then names them in an item. */
export class ItemImages {
  constructor(
    private readonly database: Database,
    private readonly files: FileStore,
  ) {}

  /**
   * Keeps a picture for items of an organization, and a small copy of it. Throws as `FileStore.store` does, and
   * `invalid_request` for content that is no picture.
   */
  store(
    { tenantId, organizationId }: { tenantId: string; organizationId: string },
    file: SentFile,
    uploadedBy: string,
  ): Promise<FileRow> {
    const parts: Buffer[] = [];
    const content = copied(file.content, parts);
    return this.files.store(
      { ...file, content },
      {
        tenantId,
        owner: { organization_id: organizationId },
        types: IMAGE_TYPES,
        uploadedBy,
        allowed: async () => {},
        take: async (trx, keep) => {
          const thumbnail = await shrunk(Buffer.concat(parts), THUMBNAIL);
          const kept = await keep();
          await trx('item_thumbnails').insert({ file_id: kept.id, tenant_id: tenantId, content: thumbnail });
          return kept;
        },
      },
    );
  }

  /**
   * One picture of an item, for whoever may see the item: the caller has to check that. Throws `not_found`, also where the
   * item no longer names it.
   */
  async open(tenantId: string, itemId: string, imageId: string): Promise<OpenedFile> {
    const file: FileRow | undefined = await this.database.tenant(tenantId, (trx) =>
      completeFiles(trx)
        .join('item_images', 'item_images.file_id', 'files.id')
        .where({ 'files.id': imageId, 'item_images.item_id': itemId })
        .first('files.*'),
    );
    return this.files.open(found(file, 'image'));
  }
}

/** The small copy of a picture, as WebP, if one of these items names it. Throws `not_found`. */
export async function thumbnailOf(trx: Knex.Transaction, itemIds: readonly string[], imageId: string): Promise<Buffer> {
  const row: { content: Buffer } | undefined = await trx('item_thumbnails')
    .join('item_images', 'item_images.file_id', 'item_thumbnails.file_id')
    .where('item_images.file_id', imageId)
    .whereIn('item_images.item_id', itemIds)
    .first('item_thumbnails.content');
  if (!row) throw notFound('image');
  return row.content;
}

/** Passes a content on, and keeps it. */
async function* copied(content: AsyncIterable<Buffer>, parts: Buffer[]): AsyncGenerator<Buffer> {
  for await (const part of content) {
    parts.push(part);
    yield part;
  }
}

/** The pictures of items by item, each item's in their sequence. */
export async function imagesOf(connection: Knex, itemIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows: { item_id: string; file_id: string }[] = await connection('item_images')
    .whereIn('item_id', itemIds)
    .orderBy(['item_id', 'position'])
    .select('item_id', 'file_id');
  const images = new Map<string, string[]>();
  for (const { item_id, file_id } of rows) images.set(item_id, [...(images.get(item_id) ?? []), file_id]);
  return images;
}

/** Puts these pictures in place of the item's earlier ones. Throws `invalid_request` for one that is not the seller's. */
export async function setImages(trx: Knex.Transaction, item: ItemRow, imageIds: readonly string[]): Promise<void> {
  // Locked, so that none is removed as unused meanwhile.
  const known: string[] = await completeFiles(trx)
    .whereIn('id', imageIds)
    .where({ organization_id: item.organization_id })
    .forShare()
    .pluck('id');
  const unknown = imageIds.findIndex((id) => !known.includes(id));
  if (unknown >= 0) refuse(`images[${unknown}]`, 'is no image of this organization');
  await trx('item_images').where({ item_id: item.id }).delete();
  if (imageIds.length > 0)
    await trx('item_images').insert(
      imageIds.map((file_id, index) => ({
        item_id: item.id,
        tenant_id: item.tenant_id,
        position: index + 1,
        file_id,
      })),
    );
}

/** Removes pictures that no item has named for a day; answers how many. Runs as the system role. */
export async function removeUnusedImages(system: Knex): Promise<number> {
  return system('files')
    .whereNotNull('organization_id')
    .where('completed_at', '<', new Date(Date.now() - UNUSED_AFTER_MS))
    .whereNotExists(system('item_images').whereRaw('item_images.file_id = files.id'))
    .delete();
}
