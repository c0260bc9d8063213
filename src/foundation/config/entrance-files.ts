import { join } from 'node:path';

/** Where a sandbox keeps what its entrance of third-party providers serves. */
export function entranceFilesIn(home: string): { folder: string; caPath: string; certPath: string; keyPath: string } {
  const folder = join(home, 'certificates');
  return {
    folder,
    caPath: join(folder, 'ca.pem'),
    certPath: join(folder, 'server.pem'),
    keyPath: join(folder, 'server-key.pem'),
  };
}
