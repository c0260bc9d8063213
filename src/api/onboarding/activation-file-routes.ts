import { DOCUMENT_TYPES } from '../../domain/document-type';
import type { ActivationFiles } from '../../people/onboarding/activation-files';
import { downloadOf } from '../server/download';
import { type Route, route } from '../server/route';
import { ACTIVATION, type ActivationDependencies, present, tenantOfActivation } from './activation-routes';
import { type ActivationDocumentParams, activationDocumentParams, activationSchema } from './activation-schema';
import { onboarderOf, requireWholeOrganization } from './merchant-routes';

export interface ActivationFileDependencies extends Pick<ActivationDependencies, 'activations'> {
  activationFiles: ActivationFiles;
  /** The largest file of a document, in bytes. */
  documentFileLimitBytes: number;
}

/** Files of the documents that an application names. The merchant uploads them; those who decide download them. */
export function activationFileRoutes({
  activations,
  activationFiles,
  documentFileLimitBytes,
}: ActivationFileDependencies): Route[] {
  const common = {
    area: 'Onboarding',
    path: `${ACTIVATION}/documents/{documentNumber}/file`,
    params: activationDocumentParams,
  };
  return [
    route<unknown, unknown, ActivationDocumentParams>({
      ...common,
      method: 'PUT',
      roles: ['merchant', 'tenant_admin'],
      summary: 'Upload or replace the file of a document',
      description:
        'Send the raw bytes as the body. We store them encrypted. The answer is 409 after the application is ' +
        'decided. A merchant cannot download the file.',
      uploads: DOCUMENT_TYPES,
      bodyLimit: documentFileLimitBytes,
      responses: { 200: { description: 'The application', schema: activationSchema } },
      handler: async (ctx) => {
        requireWholeOrganization(ctx);
        const tenantId = await tenantOfActivation(activations, ctx);
        await activationFiles.store({ tenantId, ...ctx.params }, ctx.upload, onboarderOf(ctx));
        return { status: 200, body: present(await activations.find(tenantId, ctx.params.activationId)) };
      },
    }),
    route<unknown, unknown, ActivationDocumentParams>({
      ...common,
      method: 'GET',
      roles: ['tenant_admin', 'ops'],
      summary: 'Download the file of a document. The audit log records each download',
      responses: { 200: { description: 'The file, as PDF, PNG or JPEG', contentType: 'application/octet-stream' } },
      handler: async (ctx) => {
        const { activationId, documentNumber } = ctx.params;
        const tenantId = await tenantOfActivation(activations, ctx);
        const file = await activationFiles.open({ tenantId, activationId, documentNumber }, onboarderOf(ctx));
        return downloadOf(file, `${activationId}-${documentNumber}`);
      },
    }),
  ];
}
