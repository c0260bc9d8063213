import Joi from 'joi';
import { anyId, paging } from './conventions';

/** Anything may stand there; what is not ours is not found. */
export interface CustomerParams {
  customerId: string;
}
export const customerParams = Joi.object<CustomerParams>({ customerId: anyId() });

export interface PageQuery {
  limit: number;
  cursor?: string;
}
export const pageQuery = Joi.object<PageQuery>(paging());
