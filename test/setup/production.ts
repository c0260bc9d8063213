import { randomBytes } from 'node:crypto';

const key = () => randomBytes(32).toString('base64');

/** The environment of a production start that nothing is wrong with, as far as settings go. */
export function productionEnv() {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://tillway_app:x@db/tillway',
    TEMPORAL_ADDRESS: 'engine.example:7233',
    TEMPORAL_TLS_CERT: '/run/secrets/engine.pem',
    TEMPORAL_TLS_KEY: '/run/secrets/engine-key.pem',
    VAULT_KEYS: `k1:${key()}`,
    FINGERPRINT_KEYS: `f1:${key()}`,
    VAULT_HMAC_KEY: key(),
    CODEC_KEYS: `k1:${key()}`,
    PROCESSOR_URLS: JSON.stringify({ a: 'https://a.example/v1', c: 'https://c.example' }),
    PROCESSOR_SECRETS: JSON.stringify({ a: key(), c: { callbackKey: key(), apiKey: key() } }),
    TRUSTED_PROXIES: '10.0.0.1',
    TILLWAY_HOME: '/nonexistent/tillway',
  };
}
