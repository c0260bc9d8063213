import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { TppRegistry } from '../../open-banking/tpps/registry';
import { TPP_SCOPES } from '../../open-banking/tpps/tpp';
import { RESPONSE_TYPES } from './profiles';

/** Third-party providers as oidc-provider's Client model. A disabled one is not there. */
export class TppClients implements Partial<Adapter> {
  constructor(private readonly registry: TppRegistry) {}

  async find(clientId: string): Promise<AdapterPayload | undefined> {
    const tpp = await this.registry.byId(clientId);
    if (!tpp || tpp.disabled_at) return undefined;
    return {
      client_id: tpp.id,
      client_name: tpp.name,
      // The registry decides about certificates, self-signed ones too: see `certificateSubjectMatches` of the provider.
      token_endpoint_auth_method: 'tls_client_auth',
      tls_client_auth_subject_dn: tpp.certificate_subject,
      tls_client_certificate_bound_access_tokens: true,
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: RESPONSE_TYPES[tpp.profile],
      redirect_uris: tpp.redirect_uris,
      scope: ['openid', ...TPP_SCOPES].join(' '),
      id_token_signed_response_alg: 'PS256',
      authorization_signed_response_alg: 'PS256',
      require_signed_request_object: tpp.profile === 'fapi1_advanced',
      require_pushed_authorization_requests: tpp.profile === 'fapi2',
      // Fetched by us, bounded in time and size: the library never asks an address of a provider.
      jwks: { keys: await this.registry.keysOf(tpp) },
    };
  }
}
