import { newId } from '../../domain/ids';
import type { Database } from '../../foundation/db/database';
import { readCertificate, subjectOf, thumbprintOf } from '../../open-banking/tpps/registry';
import type { CertificateFolder } from '../certificates/folder';

/** What `credentials.json` says of the provider of a tenant. */
export interface SeededTpp {
  clientId: string;
  name: string;
  certPath: string;
  keyPath: string;
  caPath: string;
  jwksKeyPath: string;
  kid: string;
  iss: string;
  tan: string;
  redirectUri: string;
}

interface Seeded {
  tenantId: string;
}

/** What the seed says beside its certificates. */
interface TppSettings {
  /** The trust anchor that signatures name. */
  trustAnchor: string;
  /** Base address of the simulator: its page takes the redirect. */
  simulatorUrl: string;
}

/** One third-party provider for each sandbox tenant, with the certificate that lies in the folder now. */
export async function seedTpps<T extends Seeded & { other: Seeded }>(
  database: Pick<Database, 'system'>,
  certificates: CertificateFolder,
  settings: TppSettings,
  seeded: T,
): Promise<T & { tpp: SeededTpp; other: T['other'] & { tpp: SeededTpp } }> {
  const tppOf = (tenantId: string, label: string, name: string) =>
    seedTpp(database, certificates, settings, { tenantId, label, name });
  const tpp = await tppOf(seeded.tenantId, 'tpp', 'Clear View Accounts');
  const other = await tppOf(seeded.other.tenantId, 'other-tpp', 'Second Look Finance');
  return { ...seeded, tpp, other: { ...seeded.other, tpp: other } };
}

/** One for a tenant of any label. The label names its files, and finds it again. */
export async function seedTpp(
  { system }: Pick<Database, 'system'>,
  certificates: CertificateFolder,
  { trustAnchor, simulatorUrl }: TppSettings,
  { tenantId, label, name }: { tenantId: string; label: string; name: string },
): Promise<SeededTpp> {
  const files = await certificates.tpp(label);
  const certificate = readCertificate(files.certificate)!;
  const subject = subjectOf(certificate);
  const redirectUri = `${simulatorUrl}/tpp/callback`;
  const clientId = await system.transaction(async (trx) => {
    const known = await trx('tpps').where({ certificate_subject: subject }).first('id', 'iss');
    const id: string = known?.id ?? newId('tpp');
    const row = {
      name,
      profile: 'fapi1',
      auth_method: 'tls_client_auth',
      certificate_thumbprint: thumbprintOf(certificate),
      certificate_subject: subject,
      certificate_pem: files.certificate,
      certificate_expires_at: new Date(certificate.validTo),
      redirect_uris: JSON.stringify([redirectUri]),
      jwks: JSON.stringify({ keys: [files.publicJwk] }),
      iss: id,
    };
    await trx('tpps')
      .insert({ id, ...row })
      .onConflict('id')
      .merge(Object.keys(row));
    await trx('tpp_tenants').insert({ tpp_id: id, tenant_id: tenantId }).onConflict(['tpp_id', 'tenant_id']).ignore();
    return id;
  });
  const { certPath, keyPath, jwksKeyPath, kid } = files;
  const { caPath } = certificates;
  return { clientId, name, certPath, keyPath, caPath, jwksKeyPath, kid, iss: clientId, tan: trustAnchor, redirectUri };
}
