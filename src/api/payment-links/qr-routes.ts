import Joi from 'joi';
import QRCode from 'qrcode';
import type { PaymentLinks } from '../../commerce/payment-links/service';
import { type Route, route } from '../server/route';
import { type PaymentLinkParams, paymentLinkParams } from './schema';
import { scopeOf } from './scope';

interface QrQuery {
  form: 'svg' | 'png';
  size: number;
}

/** A code that a scratch or a thumb has damaged by a sixth is still read. */
const LEVEL = { errorCorrectionLevel: 'M', margin: 4 } as const;

/** The address of a payment link as a picture, for a screen, a poster or a bill. */
export function linkQrRoutes({ paymentLinks }: { paymentLinks: PaymentLinks }): Route[] {
  return [
    route<unknown, QrQuery, PaymentLinkParams>({
      method: 'GET',
      path: '/payment-links/1.0.0/links/{linkId}/qr',
      area: 'Payment links',
      summary: 'The QR code of a payment link',
      description:
        'It has the `url` of the link, whatever its status. An SVG can be printed at any size; `size` is of a PNG, ' +
        'with its white border.',
      roles: ['merchant', 'tenant_admin'],
      params: paymentLinkParams,
      query: Joi.object<QrQuery>({
        form: Joi.string().valid('svg', 'png').default('svg'),
        size: Joi.number().integer().min(120).max(2_000).default(600).description('Width and height in pixels'),
      }),
      responses: {
        200: { description: 'The picture', contentType: 'image/svg+xml', alternatives: ['image/png'] },
      },
      handler: async (ctx) => {
        const { form, size } = ctx.query;
        const { link } = await paymentLinks.find(scopeOf(ctx), ctx.params.linkId);
        const url = paymentLinks.urlOf(link);
        const headers = { 'content-disposition': `attachment; filename="${link.id}.${form}"` };
        if (form === 'svg')
          return {
            status: 200,
            body: await QRCode.toString(url, { ...LEVEL, type: 'svg' }),
            headers: { ...headers, 'content-type': 'image/svg+xml' },
          };
        return {
          status: 200,
          body: await QRCode.toBuffer(url, { ...LEVEL, width: size }),
          headers: { ...headers, 'content-type': 'image/png' },
        };
      },
    }),
  ];
}
