import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Database } from '../../foundation/db/database';
import { findClient } from '../../people/identity/clients';

/** The clients of this service as oidc-provider's Client model. */
export class ClientAdapter implements Partial<Adapter> {
  /** `admit` may refuse to look up a client after too many wrong attempts. */
  constructor(
    private readonly database: Database,
    private readonly admit: (clientId: string) => Promise<void>,
  ) {}

  async find(clientId: string): Promise<AdapterPayload | undefined> {
    if (!/^[\x21-\x7e]{1,128}$/.test(clientId)) return undefined;
    await this.admit(clientId);
    const client = await findClient(this.database.system, clientId);
    return (
      client && {
        client_id: client.id,
        client_name: client.name,
        // The hashes in hexadecimal; compareClientSecret expects them.
        client_secret: [client.secretHash, ...client.retiredHashes].map((hash) => hash.toString('hex')).join('.'),
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        scope: client.role,
      }
    );
  }
}
