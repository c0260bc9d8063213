import { words } from '../words/words';

export const integrationWords = words({
  en: {
    integration: {
      parameters: {
        title: 'Integration parameters',
        names: 'Names',
        clientId: 'Client id',
        terminalId: 'Terminal id',
        clientSecret: 'Client secret',
        terminalPassword: 'Terminal password',
        callbackSecret: 'Callback secret',
        ends: 'Ends with',
        since: 'In use since',
        previous: 'The one before works until',
        once: 'Copy it now. It is shown this once and never again.',
        rotate: {
          act: 'Replace',
          question:
            'Replace the %{name}? The one of now works on for the hours that you say, so that you can change your programs.',
          overlap: 'Hours that both work',
          done: 'There is a new one. Copy it from the page now: it is shown once.',
        },
        end: {
          act: 'End the one before',
          question: 'End the %{name} before this one now? Programs that still use it are refused at once.',
        },
      },
      sandbox: {
        title: 'Sandbox',
        cards: 'Test cards',
        cardsHelp: 'Any expiry date in the future and any security code will do.',
        amounts: 'Amounts, for methods without a card',
        amountsHelp: 'The last two digits of the amount decide. All others are approved.',
        payers: 'What payers answer',
        payersHelp:
          'Open the address in action.url of a payment as the payer would. The page has a button for each outcome: authenticated and failed; bank transfers and crypto also have underpaid and overpaid.',
      },
      behaviours: {
        approve: 'Approved. The payer is not asked for 3-D Secure, unless the payment requires it.',
        challenge: 'The payer is asked for 3-D Secure. Then approved, or failed with code 300, as the payer chooses.',
        frictionless: '3-D Secure without a question to the payer. Approved.',
        authentication_fails: '3-D Secure fails (code 300).',
        challenge_then_decline: 'The payer is asked for 3-D Secure. Then declined (code 200).',
        do_not_honour: 'Declined (code 200).',
        insufficient_funds: 'Declined: insufficient funds (code 201).',
        expired_card: 'Declined: the card has expired (code 202).',
        cvv_mismatch: 'Declined: the security code does not match (code 203).',
        lost_card: 'Declined: the card is reported lost (code 205).',
        close_connection: 'The processor closes the connection and charges nothing. Fails with code 501.',
        never_answer: 'The processor charges and never answers. Pending with code 500, then captured.',
        decline_refund: 'Approved. A refund of it is declined later.',
        charge_back: 'Approved. A chargeback follows after 5 seconds.',
      },
      endings: {
        '02': 'Declined (code 200).',
        '95': 'Declined: insufficient funds (code 201).',
        '75': 'The processor charges and never answers. Pending with code 500, then captured.',
        '19': 'The processor closes the connection and charges nothing. Fails with code 501.',
      },
    },
  },
  pt: {
    integration: {
      parameters: {
        title: 'Parâmetros de integração',
        names: 'Nomes',
        clientId: 'Id do cliente',
        terminalId: 'Id do terminal',
        clientSecret: 'Segredo do cliente',
        terminalPassword: 'Palavra-passe do terminal',
        callbackSecret: 'Segredo das notificações',
        ends: 'Termina em',
        since: 'Em uso desde',
        previous: 'O anterior funciona até',
        once: 'Copie-o agora. É mostrado só desta vez.',
        rotate: {
          act: 'Substituir',
          question:
            'Substituir: %{name}? O de agora continua a funcionar durante as horas que disser, para poder mudar os seus programas.',
          overlap: 'Horas em que ambos funcionam',
          done: 'Há um novo. Copie-o já da página: é mostrado uma só vez.',
        },
        end: {
          act: 'Terminar o anterior',
          question: 'Terminar já o anterior: %{name}? Os programas que ainda o usam são recusados de imediato.',
        },
      },
      sandbox: {
        title: 'Sandbox',
        cards: 'Cartões de teste',
        cardsHelp: 'Serve qualquer validade no futuro e qualquer código de segurança.',
        amounts: 'Montantes, para métodos sem cartão',
        amountsHelp: 'Os últimos dois dígitos do montante decidem. Todos os outros são aprovados.',
        payers: 'O que os pagadores respondem',
        payersHelp:
          'Abra o endereço em action.url de um pagamento como o pagador o faria. A página tem um botão para cada desfecho: authenticated e failed; as transferências e cripto têm também underpaid e overpaid.',
      },
      behaviours: {
        approve: 'Aprovado. O 3-D Secure não é pedido ao pagador, a menos que o pagamento o exija.',
        challenge:
          'O 3-D Secure é pedido ao pagador. Depois aprovado, ou falhado com o código 300, como o pagador escolher.',
        frictionless: '3-D Secure sem pergunta ao pagador. Aprovado.',
        authentication_fails: 'O 3-D Secure falha (código 300).',
        challenge_then_decline: 'O 3-D Secure é pedido ao pagador. Depois recusado (código 200).',
        do_not_honour: 'Recusado (código 200).',
        insufficient_funds: 'Recusado: fundos insuficientes (código 201).',
        expired_card: 'Recusado: o cartão expirou (código 202).',
        cvv_mismatch: 'Recusado: o código de segurança não confere (código 203).',
        lost_card: 'Recusado: o cartão foi dado como perdido (código 205).',
        close_connection: 'O processador fecha a ligação e não cobra nada. Falha com o código 501.',
        never_answer: 'O processador cobra e nunca responde. Pendente com o código 500, depois capturado.',
        decline_refund: 'Aprovado. Um reembolso dele é recusado mais tarde.',
        charge_back: 'Aprovado. Um estorno segue-se após 5 segundos.',
      },
      endings: {
        '02': 'Recusado (código 200).',
        '95': 'Recusado: fundos insuficientes (código 201).',
        '75': 'O processador cobra e nunca responde. Pendente com o código 500, depois capturado.',
        '19': 'O processador fecha a ligação e não cobra nada. Falha com o código 501.',
      },
    },
  },
});
