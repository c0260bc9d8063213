import { words } from '../words/words';

export const tenantWords = words({
  en: {
    resources: { tenants: { name: 'Tenant |||| Tenants', menu: 'Tenants' } },
    tenants: {
      name: 'Name',
      nameHelp: 'Its customers read it too.',
      status: 'Status',
      statuses: {
        proposed: 'waits for a second operator',
        active: 'active',
        suspended: 'suspended',
        withdrawn: 'withdrawn',
      },
      country: 'Country',
      countryHelp: 'Two letters, such as PT.',
      currency: 'Currency of its books',
      currencyHelp: 'Three letters, such as EUR.',
      methods: 'Payment methods',
      methodsHelp: 'What its live merchants can take in production. In the sandbox they have all.',
      adminName: 'Name of the first admin',
      adminEmail: 'E-mail address of the first admin',
      adminPhone: 'Telephone number of the first admin',
      adminHelp: 'The invitation goes there once another operator has confirmed the tenant.',
      firstAdmin: 'First admin',
      adminStates: {
        waiting: 'is invited when the tenant is confirmed',
        invited: 'is invited and has no password yet',
        active: 'can sign in',
        disabled: 'cannot sign in any more',
      },
      invitationUntil: 'Invitation good until',
      reason: 'Reason',
      created: 'Proposed',
      facts: 'Tenant',
      create: 'New tenant',
      createIntro:
        'You propose the tenant. Another operator confirms it: then it is there, and its first admin is invited.',
      propose: 'Propose tenant',
      confirm: {
        act: 'Confirm',
        question:
          'Confirm the tenant %{name}? Its first admin gets an invitation at %{email}, and can sign in from then on.',
      },
      withdraw: { act: 'Withdraw', question: 'Withdraw the proposal of %{name}? Nobody is invited.' },
      suspend: {
        act: 'Suspend',
        question:
          'Suspend %{name}? Within a second nobody of it can sign in or call us, and no new payment is taken. Payments under way go on to their end.',
      },
      resume: { act: 'Resume', question: 'Resume %{name}? Its people, programs and customers can go on at once.' },
      chooseMethods: {
        act: 'Choose methods',
        question: 'Change what the merchants of %{name} can take? The choice takes the place of the one before.',
      },
      done: '%{name}: %{status}.',
      history: 'Who did what',
      at: 'When',
      who: 'Who',
      what: 'What',
      actions: {
        tenant: {
          propose: 'Proposed',
          confirm: 'Confirmed',
          withdraw: 'Withdrawn',
          suspend: 'Suspended',
          resume: 'Resumed',
          choose_methods: 'Chose methods',
        },
      },
    },
  },
  pt: {
    resources: { tenants: { name: 'Inquilino |||| Inquilinos', menu: 'Inquilinos' } },
    tenants: {
      name: 'Nome',
      nameHelp: 'Os seus clientes também o leem.',
      status: 'Estado',
      statuses: {
        proposed: 'espera por um segundo operador',
        active: 'ativo',
        suspended: 'suspenso',
        withdrawn: 'retirado',
      },
      country: 'País',
      countryHelp: 'Duas letras, como PT.',
      currency: 'Moeda dos seus livros',
      currencyHelp: 'Três letras, como EUR.',
      methods: 'Métodos de pagamento',
      methodsHelp: 'O que os seus comerciantes ativos podem aceitar em produção. Na sandbox têm todos.',
      adminName: 'Nome do primeiro administrador',
      adminEmail: 'E-mail do primeiro administrador',
      adminPhone: 'Telefone do primeiro administrador',
      adminHelp: 'O convite vai para lá quando outro operador tiver confirmado o inquilino.',
      firstAdmin: 'Primeiro administrador',
      adminStates: {
        waiting: 'é convidado quando o inquilino for confirmado',
        invited: 'foi convidado e ainda não tem palavra-passe',
        active: 'pode entrar',
        disabled: 'já não pode entrar',
      },
      invitationUntil: 'Convite válido até',
      reason: 'Motivo',
      created: 'Proposto',
      facts: 'Inquilino',
      create: 'Novo inquilino',
      createIntro:
        'Propõe o inquilino. Outro operador confirma-o: então existe e o primeiro administrador é convidado.',
      propose: 'Propor inquilino',
      confirm: {
        act: 'Confirmar',
        question:
          'Confirmar o inquilino %{name}? O primeiro administrador recebe um convite em %{email} e pode entrar a partir daí.',
      },
      withdraw: { act: 'Retirar', question: 'Retirar a proposta de %{name}? Ninguém é convidado.' },
      suspend: {
        act: 'Suspender',
        question:
          'Suspender %{name}? Dentro de um segundo ninguém dele pode entrar ou chamar-nos, e não se aceita nenhum pagamento novo. Os pagamentos em curso vão até ao fim.',
      },
      resume: {
        act: 'Retomar',
        question: 'Retomar %{name}? As suas pessoas, programas e clientes podem continuar já.',
      },
      chooseMethods: {
        act: 'Escolher métodos',
        question: 'Alterar o que os comerciantes de %{name} podem aceitar? A escolha toma o lugar da anterior.',
      },
      done: '%{name}: %{status}.',
      history: 'Quem fez o quê',
      at: 'Quando',
      who: 'Quem',
      what: 'O quê',
      actions: {
        tenant: {
          propose: 'Proposto',
          confirm: 'Confirmado',
          withdraw: 'Retirado',
          suspend: 'Suspenso',
          resume: 'Retomado',
          choose_methods: 'Métodos escolhidos',
        },
      },
    },
  },
});
