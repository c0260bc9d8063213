import { DOCUMENT_TYPES } from '../../domain/document-type';
import type { Database } from '../../foundation/db/database';
import { customerAudit } from '../../people/customers/audit';
import type { DocumentFiles } from '../../people/customers/document-files';
import type { KycPolicy } from '../../people/kyc/policy';
import type { KycService } from '../../people/kyc/service';
import { documentSchema, presentDocument } from '../records/document';
import { presentStatusEvent, statusEventSchema } from '../records/status-event';
import { actorOf, staffOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, numericCursor, pageOf } from '../server/conventions';
import { downloadOf } from '../server/download';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { type Route, route } from '../server/route';
import {
  type ApproveBody,
  type AuditQuery,
  approveBody,
  auditQuery,
  auditSchema,
  type DocumentParams,
  documentParams,
  policySchema,
  type RejectBody,
  rejectBody,
  type StatusBody,
  statusBody,
  statusSchema,
} from './schema';

const BASE = '/customer/1.0.0';
const DOCUMENTS = `${BASE}/{customerId}/documents`;

export interface VerificationDependencies {
  database: Database;
  verification: KycService;
  documentFiles: DocumentFiles;
  /** The largest file of a document, in bytes. */
  documentFileLimitBytes: number;
}

/** Statuses of customers, the review of their documents, and the audit log of a customer. */
export function verificationRoutes(deps: VerificationDependencies): Route[] {
  return [
    ...statusRoutes(deps),
    ...documentRoutes(deps),
    ...fileRoutes(deps),
    ...policyRoutes(deps),
    ...auditRoutes(deps),
  ];
}

const common = { area: 'Customers', identity: 'tenantId' as const };
const admin = { ...common, roles: ['tenant_admin'] as const };
const staff = { ...common, roles: ['tenant_admin', 'ops'] as const };

function placeOf(ctx: RequestContext<unknown, unknown, DocumentParams>) {
  return { tenantId: ctx.tenantId, ...ctx.params };
}

function statusRoutes({ verification }: VerificationDependencies): Route[] {
  return [
    route<StatusBody, unknown, CustomerParams>({
      ...admin,
      method: 'POST',
      path: `${BASE}/status/{customerId}`,
      summary: 'Change the status of a customer',
      description:
        'Allowed changes: new → under_verificaiton → verified; verified ↔ under_investigation, dispute, on_hold; any ' +
        '→ blacklisted, bancrupted; blacklisted → under_investigation. Any other change is answered with 409. ' +
        '`under_verificaiton` starts the verification. The change from it to `verified` needs all required documents ' +
        'verified, or `override`.',
      params: customerParams,
      body: statusBody,
      idempotent: true,
      responses: { 200: { description: 'The current status', schema: statusSchema } },
      handler: async (ctx) => {
        const { customerStatus: status, reason, override } = ctx.body;
        const change = { status, reason, override };
        const row = await verification.changeStatus(ctx.tenantId, ctx.params.customerId, change, actorOf(ctx));
        return { status: 200, body: { customerId: row.id, customerStatus: row.status, updatedAt: row.updated_at } };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...staff,
      method: 'GET',
      path: `${BASE}/{customerId}/events`,
      summary: 'The history of a customer’s status: who changed it, when and why',
      params: customerParams,
      responses: { 200: { description: 'Oldest first', schema: listOf(statusEventSchema) } },
      handler: async (ctx) => {
        const events = await verification.events(ctx.tenantId, ctx.params.customerId);
        return { status: 200, body: { data: events.map(presentStatusEvent), nextCursor: null } };
      },
    }),
  ];
}

function documentRoutes({ verification }: VerificationDependencies): Route[] {
  return [
    route<unknown, unknown, CustomerParams>({
      ...staff,
      roles: ['tenant_admin', 'ops', 'customer'],
      method: 'GET',
      path: DOCUMENTS,
      summary: 'The documents of a customer with their ids, reviews and files',
      description: 'The answer describes the files but does not contain them. Customers see their own documents.',
      params: customerParams,
      responses: { 200: { description: 'In the order of the record', schema: listOf(documentSchema) } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const documents = await verification.list(ctx.tenantId, customerId, staffOf(ctx));
        return { status: 200, body: { data: documents.map(presentDocument), nextCursor: null } };
      },
    }),
    route<ApproveBody, unknown, DocumentParams>({
      ...admin,
      method: 'POST',
      path: `${DOCUMENTS}/{documentId}/approve`,
      summary: 'Approve a document',
      description: 'When all required documents are approved, a customer under verification becomes `verified`.',
      params: documentParams,
      body: approveBody,
      optionalBody: true,
      idempotent: true,
      responses: { 200: { description: 'The document', schema: documentSchema } },
      handler: async (ctx) => {
        const { expiresAt, ...rest } = ctx.body;
        const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) };
        const verdict = { status: 'verified' as const, ...rest, ...expiry };
        const document = await verification.review(placeOf(ctx), verdict, actorOf(ctx));
        return { status: 200, body: presentDocument(document) };
      },
    }),
    route<RejectBody, unknown, DocumentParams>({
      ...admin,
      method: 'POST',
      path: `${DOCUMENTS}/{documentId}/reject`,
      summary: 'Reject a document',
      description: 'You can also reject a verified document. The customer may send another file for it.',
      params: documentParams,
      body: rejectBody,
      idempotent: true,
      responses: { 200: { description: 'The document', schema: documentSchema } },
      handler: async (ctx) => {
        const document = await verification.review(placeOf(ctx), { status: 'rejected', ...ctx.body }, actorOf(ctx));
        return { status: 200, body: presentDocument(document) };
      },
    }),
  ];
}

function fileRoutes({
  database,
  verification,
  documentFiles,
  documentFileLimitBytes,
}: VerificationDependencies): Route[] {
  return [
    route<unknown, unknown, DocumentParams>({
      ...admin,
      roles: ['tenant_admin', 'customer'],
      method: 'PUT',
      path: `${DOCUMENTS}/{documentId}/file`,
      summary: 'Upload or replace the file of a document',
      description:
        'Send the raw bytes as the body. We store them encrypted. A rejected or expired document is reviewed again. ' +
        'Customers may upload files of their own documents, but cannot download them.',
      params: documentParams,
      uploads: DOCUMENT_TYPES,
      bodyLimit: documentFileLimitBytes,
      responses: { 200: { description: 'The document', schema: documentSchema } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const { document } = await documentFiles.store(placeOf(ctx), ctx.upload, actorOf(ctx));
        const [whole] = await database.tenant(ctx.tenantId, (trx) => verification.whole(trx, [document]));
        return { status: 200, body: presentDocument(whole!) };
      },
    }),
    route<unknown, unknown, DocumentParams>({
      ...admin,
      method: 'GET',
      path: `${DOCUMENTS}/{documentId}/file`,
      summary: 'Download the file of a document. The audit log records each download',
      params: documentParams,
      responses: {
        200: { description: 'The file, as PDF, PNG or JPEG', contentType: 'application/octet-stream' },
      },
      handler: async (ctx) => {
        return downloadOf(await documentFiles.open(placeOf(ctx), actorOf(ctx)), ctx.params.documentId);
      },
    }),
  ];
}

function policyRoutes({ verification }: VerificationDependencies): Route[] {
  const path = `${BASE}/verificationPolicy`;
  return [
    route({
      ...staff,
      method: 'GET',
      path,
      summary: 'The documents that customers of the tenant must provide',
      responses: { 200: { description: 'The required documents by type of customer', schema: policySchema } },
      handler: async (ctx) => ({ status: 200, body: await verification.policy(ctx.tenantId) }),
    }),
    route<KycPolicy>({
      ...admin,
      method: 'PUT',
      path,
      summary: 'Set the documents that customers of the tenant must provide',
      description:
        'The policy applies to customers who are not verified yet. We check customers under verification again.',
      body: policySchema,
      responses: { 200: { description: 'The current policy', schema: policySchema } },
      handler: async (ctx) => {
        await verification.setPolicy(ctx.tenantId, ctx.body, actorOf(ctx));
        return { status: 200, body: ctx.body };
      },
    }),
  ];
}

function auditRoutes({ database }: VerificationDependencies): Route[] {
  return [
    route<unknown, AuditQuery>({
      ...staff,
      method: 'GET',
      path: `${BASE}/audit`,
      summary: 'Who read or changed the data of a customer, also after its erasure; newest first',
      query: auditQuery,
      responses: { 200: { description: 'A page of entries', schema: listOf(auditSchema) } },
      handler: async (ctx) => {
        const { customerId, limit, cursor } = ctx.query;
        const rows = await database.tenant(ctx.tenantId, (trx) =>
          customerAudit(trx, customerId, limit, cursor && numericCursor(cursor)),
        );
        const page = pageOf(rows, limit, (row) => String(row.id));
        const data = page.data.map(({ at, actor, action, result, source, detail }) => ({
          at,
          actor,
          action,
          result,
          source: source ?? undefined,
          detail,
        }));
        return { status: 200, body: { ...page, data } };
      },
    }),
  ];
}
