import Joi from 'joi';
import { anyId, paging } from './conventions';

/** Any text passes here. An unknown id is answered with 404. */
export interface CustomerParams {
  customerId: string;
}
export const customerParams = Joi.object<CustomerParams>({ customerId: anyId() });

export interface PageQuery {
  limit: number;
  cursor?: string;
}
export const pageQuery = Joi.object<PageQuery>(paging());
