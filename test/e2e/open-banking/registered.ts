import type { KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeClientCertificate } from '../../../src/foundation/certificates/authority';
import { type Shown, selfSigned, signingKey } from '../../setup/certificates';
import { type Credentials, sharedStack } from '../../setup/stack';
import { actorsOf, type Caller, type Json } from '../client';
import { Provider } from './journey';
import { EntranceCaller } from './tpp';

export const TPPS = '/onboarding/1.0.0/tpps';
const KID = 'signing-1';

/** A third-party provider of a test's own: operators have registered it. */
export class RegisteredTpp {
  private constructor(
    readonly ops: Caller,
    /** As the API shows it. */
    readonly record: Json,
    readonly shown: Shown,
    /** Signs for it, under the kid `signing-1`. */
    readonly key: KeyObject,
    private readonly home: string,
    /** What `credentials.json` says of a seeded one, in the seeded one's place. */
    readonly credentials: Credentials,
    readonly provider: Provider,
  ) {}

  /** `changed`: members of the request. `shown`: its certificate; absent: a self-signed one. */
  static async register(changed: object = {}, shown?: Shown): Promise<RegisteredTpp> {
    const { credentials } = sharedStack();
    const certificate = shown ?? (await selfSigned({ subject: 'CN=Registered by a test' }));
    const { ops } = await actorsOf(credentials);
    const { jwk, privateKey } = signingKey(KID);
    const { status, body } = await ops.post(TPPS, {
      name: 'Penny Counter',
      tenantIds: [credentials.tenantId],
      redirectUris: [credentials.tpp.redirectUri],
      jwks: { keys: [jwk] },
      certificate: certificate.cert,
      ...changed,
    });
    if (status !== 201) throw new Error(`not registered: ${status} ${JSON.stringify(body)}`);
    const home = mkdtempSync(join(tmpdir(), 'tillway-tpp-'));
    const [certPath, keyPath] = [join(home, 'cert.pem'), join(home, 'key.pem')];
    writeFileSync(certPath, certificate.cert);
    writeFileSync(keyPath, certificate.key, { mode: 0o600 });
    const { caPath } = credentials.tpp;
    const [redirectUri] = body.redirectUris;
    const tpp = { clientId: body.tppId, name: body.name, certPath, keyPath, caPath, redirectUri, kid: KID };
    const own = { ...credentials, tpp };
    return new RegisteredTpp(ops, body, certificate, privateKey, home, own, new Provider(own));
  }

  get id(): string {
    return this.record.tppId;
  }

  get caller(): EntranceCaller {
    return this.provider.caller;
  }

  act(verb: string, body?: Json) {
    return this.ops.post(`${TPPS}/${this.id}/${verb}`, body);
  }

  close(): void {
    this.provider.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A certificate of the sandbox's authority. `at`: when it was made. */
export async function issuedBySandbox(name: string, at = new Date()): Promise<Shown> {
  const { caPath } = sharedStack().credentials.tpp;
  const keyPath = join(dirname(caPath), 'ca-key.pem');
  const authority = { certificate: readFileSync(caPath, 'utf8'), key: readFileSync(keyPath, 'utf8') };
  const { certificate, key } = await makeClientCertificate(authority, name, at);
  return { cert: certificate, key };
}

/** Somebody who shows this certificate to the entrance. */
export function showing(shown: Shown): EntranceCaller {
  const { authUrl, tpp } = sharedStack().credentials;
  return new EntranceCaller(authUrl, tpp.caPath, shown);
}
