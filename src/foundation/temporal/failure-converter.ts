import { DefaultFailureConverter } from '@temporalio/common';

/** Moves a failure's message and stack trace into an encrypted payload; readable text stays out of the engine. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
