import { createHash } from 'node:crypto';

/** CODEC_KEYS of the recorded histories: known to everybody, so that every checkout can decode and replay them. */
export const HISTORY_CODEC_KEYS = `recorded:${createHash('sha256').update('histories recorded for replay').digest('base64')}`;
