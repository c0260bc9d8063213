import { generateKeyPair, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type CertificateFiles,
  makeAuthority,
  makeClientCertificate,
  makeServerCertificate,
} from '../../foundation/certificates/authority';
import { entranceFilesIn } from '../../foundation/config/entrance-files';
import { writePrivateFile } from '../../foundation/files/private-file';

const makeKeyPair = promisify(generateKeyPair);
/** What ends sooner is made anew at the next start. */
const RENEWED_BEFORE_MS = 30 * 24 * 3_600_000;

/** What one sandbox provider signs and connects with: paths of PEM files, and its public key set. */
export interface TppFiles {
  certPath: string;
  keyPath: string;
  /** The private key of its signatures, as JWK. */
  jwksKeyPath: string;
  kid: string;
  certificate: string;
  publicJwk: Record<string, unknown>;
}

/** The certificates of a sandbox, in `TILLWAY_HOME/certificates`. A restart keeps them. */
export class CertificateFolder {
  private constructor(
    private readonly path: string,
    private readonly authority: CertificateFiles,
    readonly caPath: string,
  ) {}

  /** Makes what is missing or about to end. `hosts`: names and addresses of the entrance. */
  static async open(home: string, hosts: readonly string[]): Promise<CertificateFolder> {
    const { folder, caPath, certPath, keyPath } = entranceFilesIn(home);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const authority = await kept(caPath, join(folder, 'ca-key.pem'), () => makeAuthority());
    await kept(
      certPath,
      keyPath,
      () => makeServerCertificate(authority, hosts),
      (certificate) =>
        isOf(certificate, authority) &&
        certificate.publicKey.asymmetricKeyType === 'rsa' &&
        hosts.every((host) => names(certificate, host)),
    );
    return new CertificateFolder(folder, authority, caPath);
  }

  /** The files of one provider. `name`: letters, digits, hyphens. */
  async tpp(name: string): Promise<TppFiles> {
    const at = (file: string) => join(this.path, `${name}-${file}`);
    const [certPath, keyPath, jwksKeyPath] = [at('transport.pem'), at('transport-key.pem'), at('signing-key.json')];
    const { certificate } = await kept(
      certPath,
      keyPath,
      () => makeClientCertificate(this.authority, name),
      (known) => isOf(known, this.authority),
    );
    if (!existsSync(jwksKeyPath))
      writePrivateFile(jwksKeyPath, `${JSON.stringify(await makeSigningKey(name), null, 2)}\n`);
    const { kty, n, e, kid, alg, use } = JSON.parse(readFileSync(jwksKeyPath, 'utf8'));
    return { certPath, keyPath, jwksKeyPath, kid, certificate, publicJwk: { kty, n, e, kid, alg, use } };
  }
}

async function kept(
  certPath: string,
  keyPath: string,
  make: () => Promise<CertificateFiles>,
  isGood: (certificate: X509Certificate) => boolean = () => true,
): Promise<CertificateFiles> {
  if (existsSync(certPath) && existsSync(keyPath)) {
    const certificate = readFileSync(certPath, 'utf8');
    const parsed = new X509Certificate(certificate);
    const lastsMs = new Date(parsed.validTo).getTime() - Date.now();
    if (lastsMs > RENEWED_BEFORE_MS && isGood(parsed)) return { certificate, key: readFileSync(keyPath, 'utf8') };
  }
  const made = await make();
  writePrivateFile(keyPath, made.key);
  writePrivateFile(certPath, made.certificate);
  return made;
}

function isOf(certificate: X509Certificate, { certificate: authority }: CertificateFiles): boolean {
  return certificate.verify(new X509Certificate(authority).publicKey);
}

function names(certificate: X509Certificate, host: string): boolean {
  return (certificate.checkHost(host) ?? certificate.checkIP(host)) !== undefined;
}

async function makeSigningKey(name: string): Promise<Record<string, unknown>> {
  const { privateKey } = await makeKeyPair('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: `${name}-1`, alg: 'PS256', use: 'sig' };
}
