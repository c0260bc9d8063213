import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Config } from '../../foundation/config/config.js';

/** What `/health/ready` of the API answers right now; `status` 0 when nobody does. */
export function askReadiness(config: Config): Promise<{ status: number; body: string }> {
  // PUBLIC_URL may lead through a proxy that is not there yet: ask the listener itself.
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  const options = { host, port: config.ports.api, path: '/health/ready', timeout: 5_000, agent: false };
  return new Promise((resolve) => {
    const silent = (body: string) => resolve({ status: 0, body });
    // Our own certificate, on our own machine: whether a client would trust it is not the question here.
    const request = config.tls ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
    request.once('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body = (body + chunk).slice(0, 2_000);
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.once('error', (error) => silent(error.message));
    });
    request.once('timeout', () => request.destroy(new Error('no answer within 5 s')));
    request.once('error', (error) => silent(error.message));
    request.end();
  });
}
