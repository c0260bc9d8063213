import type { Knex } from 'knex';
import type { AuditExport } from '../../foundation/audit-log/export';
import { type Checked, type Finding, MOST_FINDINGS } from './check';

const CHECK = 'the copy of the audit log on another machine has the same seals';

/** Compares the seals with their copy: only there it shows that the end of the log was removed, or all of it made anew. */
export async function auditCopy(ops: Knex, copy: AuditExport): Promise<Checked> {
  const findings: Finding[] = [];
  let total = 0;
  const note = (subject: string, detail: string) => {
    total += 1;
    if (findings.length < MOST_FINDINGS) findings.push({ check: CHECK, subject, detail });
  };
  const sent = new Set<bigint>(await ops('audit_exports').pluck('through_seal'));
  for await (const { object, seal, hash } of copy.list()) {
    const ours: { hash: Buffer } | undefined = await ops('audit_seals').where({ seal }).first('hash');
    if (!ours) note(object, 'is there, and the seal is gone here');
    else if (ours.hash.toString('hex') !== hash) note(object, 'is there, and the seal here is another one');
    sent.delete(seal);
  }
  for (const seal of sent) note(`seal ${seal}`, 'was sent, and is not there');
  return { checks: 1, findings, total };
}
