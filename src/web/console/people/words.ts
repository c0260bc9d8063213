import { words } from '../words/words';

/** People, and programs that sign in. */
export const peopleWords = words({
  en: {
    resources: {
      people: { name: 'Person |||| People', menu: 'People' },
      clients: { name: 'API client |||| API clients', menu: 'API clients' },
    },
    people: {
      name: 'Name',
      email: 'E-mail address',
      phone: 'Telephone',
      role: 'Role',
      roles: { merchant: 'Merchant', tenant_admin: 'Tenant admin', ops: 'Operator' },
      organizationId: 'Organization',
      state: 'State',
      states: { invited: 'Invited', active: 'Active', disabled: 'Shut out' },
      since: 'Since',
      clientId: 'Client id',
      whatYouCanDo: 'What you can do',
      invite: {
        act: 'Invite somebody',
        question: 'Whom do you invite? We send a link to choose a password.',
        done: 'The invitation is on its way to %{email}.',
      },
      again: { act: 'Invite again', question: 'Send %{name} a new link? The old one no longer works.' },
      change: { act: 'Change role', question: 'Which role should %{name} have? The sessions of %{name} end.' },
      disable: { act: 'Shut out', question: 'Shut %{name} out? All sessions of %{name} end at once.' },
      enable: { act: 'Let in again', question: 'Let %{name} in again? Password and second factor are as they were.' },
      reset: {
        act: 'Reset second factors',
        question:
          'Remove all second factors of %{name}? Make sure that it is %{name} who asks. The sessions end, and %{name} gets an e-mail.',
      },
      remove: {
        act: 'Remove',
        question: 'Remove %{name} for good? The sessions end at once; name and address are erased.',
      },
      newClient: { act: 'New API client', question: 'A program signs in with the id and the secret of its client.' },
      secret: {
        title: 'The secret of the client',
        once: 'Copy the secret now. Nobody can show it again.',
        name: 'Secret',
        seen: 'I have copied it',
      },
      rotate: {
        act: 'New secret',
        question: 'Make a new secret for %{name}?',
        overlap: 'The old secret works for',
        overlaps: { 0: 'No longer: it ends at once', 3600: 'One hour', 86400: 'One day', 604800: 'Seven days' },
      },
      disableClient: {
        act: 'Disable',
        question: 'Disable %{name}? It gets no more tokens, and its tokens stop within a second.',
      },
      enableClient: { act: 'Enable', question: 'Enable %{name} again? Its secret works as before.' },
    },
  },
  pt: {
    resources: {
      people: { name: 'Pessoa |||| Pessoas', menu: 'Pessoas' },
      clients: { name: 'Cliente da API |||| Clientes da API', menu: 'Clientes da API' },
    },
    people: {
      name: 'Nome',
      email: 'Endereço de e-mail',
      phone: 'Telefone',
      role: 'Função',
      roles: { merchant: 'Comerciante', tenant_admin: 'Administrador do inquilino', ops: 'Operador' },
      organizationId: 'Organização',
      state: 'Estado',
      states: { invited: 'Com convite', active: 'Ativo', disabled: 'Sem acesso' },
      since: 'Desde',
      clientId: 'Id do cliente',
      whatYouCanDo: 'O que pode fazer',
      invite: {
        act: 'Convidar alguém',
        question: 'Quem quer convidar? Enviamos uma ligação para escolher uma palavra-passe.',
        done: 'O convite vai a caminho de %{email}.',
      },
      again: { act: 'Convidar de novo', question: 'Enviar a %{name} uma ligação nova? A antiga deixa de funcionar.' },
      change: { act: 'Mudar a função', question: 'Que função deve ter %{name}? As sessões de %{name} terminam.' },
      disable: { act: 'Retirar o acesso', question: 'Retirar o acesso a %{name}? Todas as suas sessões terminam já.' },
      enable: {
        act: 'Devolver o acesso',
        question: 'Devolver o acesso a %{name}? A palavra-passe e o segundo fator ficam como estavam.',
      },
      reset: {
        act: 'Repor os segundos fatores',
        question:
          'Remover todos os segundos fatores de %{name}? Confirme que é mesmo %{name} quem pede. As sessões terminam e %{name} recebe um e-mail.',
      },
      remove: {
        act: 'Remover',
        question: 'Remover %{name} para sempre? As sessões terminam já; o nome e o endereço são apagados.',
      },
      newClient: {
        act: 'Novo cliente da API',
        question: 'Um programa entra com o id e o segredo do seu cliente.',
      },
      secret: {
        title: 'O segredo do cliente',
        once: 'Copie o segredo agora. Ninguém o pode mostrar de novo.',
        name: 'Segredo',
        seen: 'Já o copiei',
      },
      rotate: {
        act: 'Novo segredo',
        question: 'Criar um segredo novo para %{name}?',
        overlap: 'O segredo antigo funciona durante',
        overlaps: { 0: 'Deixa já de funcionar', 3600: 'Uma hora', 86400: 'Um dia', 604800: 'Sete dias' },
      },
      disableClient: {
        act: 'Desativar',
        question: 'Desativar %{name}? Não recebe mais tokens e os que tem param dentro de um segundo.',
      },
      enableClient: { act: 'Ativar', question: 'Ativar %{name} de novo? O seu segredo funciona como antes.' },
    },
  },
});
