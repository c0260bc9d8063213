import type { ItemImages } from '../../commerce/inventory/images';
import { presentItem, presentMovement } from '../../commerce/inventory/present';
import type { GoodsScope, Inventory, ItemDecided, Seller } from '../../commerce/inventory/service';
import { IMAGE_TYPES } from '../../domain/file-type';
import { parseAmount } from '../../domain/money';
import { itemSchema } from '../records/item';
import { actorOf } from '../server/actor';
import { amountIn } from '../server/amount';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { downloadOf } from '../server/download';
import { type PageQuery, pageQuery } from '../server/params';
import { type Answer, type Route, route } from '../server/route';
import {
  type AdjustBody,
  type ApprovalsBody,
  type ApproveBody,
  adjustBody,
  approvalsBody,
  approvalsSchema,
  approveBody,
  type ImageParams,
  type ItemBody,
  type ItemChangeBody,
  type ItemParams,
  type ItemQuery,
  imageParams,
  imageSchema,
  itemBody,
  itemChangeBody,
  itemParams,
  itemQuery,
  movementsSchema,
  type RejectBody,
  rejectBody,
} from './schema';

const BASE = '/inventory/1.0.0';
const ITEMS = `${BASE}/items`;
const ONE = `${ITEMS}/{itemId}`;
const AREA = 'Inventory';
const reading = { area: AREA, roles: ['merchant', 'tenant_admin', 'ops'] as const };
const selling = { area: AREA, roles: ['merchant'] as const };
const deciding = { area: AREA, roles: ['tenant_admin'] as const, method: 'POST' as const, idempotent: true };
const answered = { 200: { description: 'The item', schema: itemSchema } };

export interface InventoryDependencies {
  inventory: Inventory;
  itemImages: ItemImages;
  /** The largest picture of an item, in bytes. */
  itemImageLimitBytes: number;
}

/** What merchants sell: sellers add items, tenant admins approve them. */
export function inventoryRoutes(deps: InventoryDependencies): Route[] {
  return [...sellerRoutes(deps), ...approvalRoutes(deps), ...imageRoutes(deps), ...readRoutes(deps)];
}

function sellerRoutes({ inventory }: InventoryDependencies): Route[] {
  return [
    route<ItemBody>({
      ...selling,
      method: 'POST',
      path: ITEMS,
      summary: 'Add an item',
      description: 'It can be ordered once the tenant admin has approved it.',
      body: itemBody,
      idempotent: true,
      responses: { 201: { description: 'The item, which waits for approval', schema: itemSchema } },
      handler: async (ctx) => {
        const { price, currency, ...rest } = ctx.body;
        const item = {
          ...rest,
          id: ctx.resourceId('item'),
          price: { amountMinor: parseAmount(price, currency), currency },
        };
        return { status: 201, body: presentItem(await inventory.add(sellerOf(ctx), item, actorOf(ctx))) };
      },
    }),
    route<ItemChangeBody, unknown, ItemParams>({
      ...selling,
      method: 'PUT',
      path: ONE,
      summary: 'Change an item',
      description:
        'Members that you leave out stay as they are. If you change what buyers see (anything but `sku` and ' +
        '`quantity`), the item waits for approval again and cannot be ordered until then. Orders keep the price that ' +
        'they were made at.',
      params: itemParams,
      body: itemChangeBody,
      responses: answered,
      handler: async (ctx) => {
        const { price, currency, ...rest } = ctx.body;
        const priceOf = price
          ? (known: string) => {
              const inCurrency = currency ?? known;
              return { amountMinor: amountIn('price', price, inCurrency), currency: inCurrency };
            }
          : undefined;
        const change = { ...rest, priceOf };
        return ok(presentItem(await inventory.change(sellerOf(ctx), ctx.params.itemId, change, actorOf(ctx))));
      },
    }),
    route<AdjustBody, unknown, ItemParams>({
      ...selling,
      method: 'POST',
      path: `${ONE}/adjust`,
      summary: 'Count pieces in or out',
      description:
        'The answer is 422 `out_of_stock` if fewer pieces would be left than orders hold. Each adjustment stays on ' +
        'record, with its reason.',
      params: itemParams,
      body: adjustBody,
      idempotent: true,
      responses: answered,
      handler: async (ctx) => {
        const adjustment = { ...ctx.body, actId: ctx.resourceId('stockMovement') };
        return ok(presentItem(await inventory.adjust(sellerOf(ctx), ctx.params.itemId, adjustment, actorOf(ctx))));
      },
    }),
  ];
}

function approvalRoutes({ inventory }: InventoryDependencies): Route[] {
  const decide = async (ctx: RequestContext<unknown, unknown, ItemParams>, decided: ItemDecided) =>
    ok(presentItem(await inventory.decide(tenantScopeOf(ctx), ctx.params.itemId, decided, actorOf(ctx))));
  return [
    route<ApproveBody, unknown, ItemParams>({
      ...deciding,
      path: `${ONE}/approve`,
      summary: 'Approve an item',
      description: 'The answer is 409 if it does not wait for approval.',
      params: itemParams,
      body: approveBody,
      optionalBody: true,
      responses: answered,
      handler: (ctx) => decide(ctx, { decision: 'approved', ...ctx.body }),
    }),
    route<RejectBody, unknown, ItemParams>({
      ...deciding,
      path: `${ONE}/reject`,
      summary: 'Reject an item',
      description: 'The answer is 409 if it does not wait for approval. It waits again when the seller changes it.',
      params: itemParams,
      body: rejectBody,
      responses: answered,
      handler: (ctx) => decide(ctx, { decision: 'rejected', ...ctx.body }),
    }),
    route<ApprovalsBody>({
      ...deciding,
      path: `${ITEMS}/approvals`,
      summary: 'Approve or reject several items',
      description:
        'Each item is decided for itself. One that cannot be decided does not stop the others: its result has an ' +
        '`error`. An item that has the status already counts as done.',
      body: approvalsBody,
      responses: { 200: { description: 'A result for each item', schema: approvalsSchema } },
      handler: async (ctx) => {
        const { itemIds, ...decided } = ctx.body;
        const results = await inventory.decideAll(tenantScopeOf(ctx), itemIds, decided, actorOf(ctx));
        const data = results.map((result) =>
          'error' in result
            ? { itemId: result.itemId, error: { code: result.error.code, message: result.error.message } }
            : result,
        );
        return ok({ data });
      },
    }),
  ];
}

function imageRoutes({ inventory, itemImages, itemImageLimitBytes }: InventoryDependencies): Route[] {
  return [
    route({
      ...selling,
      method: 'POST',
      path: `${BASE}/images`,
      summary: 'Upload an image for items',
      description:
        'Send the raw bytes as the body: PNG, JPEG or WebP. Then name its `imageId` in `images` of an item. An image ' +
        'that no item names is removed after a day.',
      uploads: IMAGE_TYPES,
      bodyLimit: itemImageLimitBytes,
      responses: { 201: { description: 'The image', schema: imageSchema } },
      handler: async (ctx) => {
        const file = await itemImages.store(sellerOf(ctx), ctx.upload, actorOf(ctx).id);
        const { id: imageId, content_type: contentType, size_bytes: sizeBytes, completed_at: createdAt } = file;
        return { status: 201, body: { imageId, contentType, sizeBytes, createdAt } };
      },
    }),
    route<unknown, unknown, ImageParams>({
      ...reading,
      roles: ['merchant', 'tenant_admin'],
      method: 'GET',
      path: `${ONE}/images/{imageId}`,
      summary: 'Download an image of an item',
      params: imageParams,
      responses: {
        200: { description: 'The image, as PNG, JPEG or WebP', contentType: 'application/octet-stream' },
      },
      handler: async (ctx) => {
        const { itemId, imageId } = ctx.params;
        await inventory.find(scopeOf(ctx), itemId);
        return downloadOf(await itemImages.open(ctx.tenantId, itemId, imageId), imageId);
      },
    }),
  ];
}

function readRoutes({ inventory }: InventoryDependencies): Route[] {
  return [
    route<unknown, ItemQuery>({
      ...reading,
      method: 'GET',
      path: ITEMS,
      summary: 'List items, newest first',
      query: itemQuery,
      responses: { 200: { description: 'A page of items', schema: listOf(itemSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await inventory.list(scopeOf(ctx), ctx.query), ctx.query.limit, ({ row }) => row.id);
        return ok({ ...page, data: page.data.map(presentItem) });
      },
    }),
    route<unknown, unknown, ItemParams>({
      ...reading,
      method: 'GET',
      path: ONE,
      summary: 'One item',
      params: itemParams,
      responses: answered,
      handler: async (ctx) => ok(presentItem(await inventory.find(scopeOf(ctx), ctx.params.itemId))),
    }),
    route<unknown, PageQuery, ItemParams>({
      ...reading,
      method: 'GET',
      path: `${ONE}/movements`,
      summary: 'What changed the stock of an item, newest first',
      params: itemParams,
      query: pageQuery,
      responses: { 200: { description: 'A page of movements', schema: movementsSchema } },
      handler: async (ctx) => {
        const rows = await inventory.movements(scopeOf(ctx), ctx.params.itemId, ctx.query);
        const page = pageOf(rows, ctx.query.limit, ({ id }) => id);
        return ok({ ...page, data: page.data.map(presentMovement) });
      },
    }),
  ];
}

type Context = RequestContext<unknown, unknown, unknown>;

const ok = (body: unknown): Answer => ({ status: 200, body });

function sellerOf(ctx: Context): Seller {
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationId };
}

function scopeOf(ctx: Context): GoodsScope {
  return { tenantId: ctx.tenantIdIfAny, organizationId: ctx.organizationIdIfAny };
}

function tenantScopeOf(ctx: Context): GoodsScope & { tenantId: string } {
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationIdIfAny };
}
