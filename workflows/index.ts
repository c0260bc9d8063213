export { dispute } from './dispute';
export { lateCallback } from './late-callback';
export { payment } from './payment';
export { refund } from './refund';
export { settlement } from './settlement';
