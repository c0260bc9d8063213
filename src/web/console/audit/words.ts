import { words } from '../words/words';

export const auditWords = words({
  en: {
    resources: { 'audit-log': { name: 'Line of the audit log |||| Audit log', menu: 'Audit log' } },
    audit: {
      at: 'When',
      actor: 'Who',
      action: 'What',
      actorId: 'Who (id)',
      targetId: 'To what (id)',
      target: 'To what',
      result: 'Result',
      source: 'From address',
      detail: 'Details',
      from: 'From',
      to: 'Before',
    },
  },
  pt: {
    resources: {
      'audit-log': { name: 'Linha do registo de auditoria |||| Registo de auditoria', menu: 'Registo de auditoria' },
    },
    audit: {
      at: 'Quando',
      actor: 'Quem',
      action: 'O quê',
      actorId: 'Quem (id)',
      targetId: 'A quê (id)',
      target: 'A quê',
      result: 'Resultado',
      source: 'Do endereço',
      detail: 'Pormenores',
      from: 'Desde',
      to: 'Antes de',
    },
  },
});
