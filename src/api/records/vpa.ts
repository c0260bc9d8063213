import { formed } from '../server/conventions';

/** Virtual payment address of UPI: `name@bank` (NPCI). */
export const vpa = formed(
  /^[a-zA-Z0-9.\-_]{2,256}@[a-zA-Z][a-zA-Z0-9]{1,63}$/,
  'must be a virtual payment address, such as buyer@bank',
).example('buyer@bank');
