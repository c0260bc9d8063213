export { dispute } from './dispute';
export { lateCallback } from './late-callback';
export { notifications } from './notifications';
export { payment } from './payment';
export { reconciliation } from './reconciliation';
export { refund } from './refund';
export { settlement } from './settlement';
export { verification } from './verification';
