/** What the forms of the sign-in say, in one language. */
export interface SignInWords {
  title: string;
  name: string;
  password: string;
  signIn: string;
  back: string;
  wrong: string;
  problems: Record<SignInProblem, string>;
  codeTitle: string;
  codeText: string;
  code: string;
  codeHint: string;
  goOn: string;
  confirmTitle: string;
  confirmText: Record<'email' | 'sms' | 'totp', string>;
  amount: string;
  payee: string;
  confirm: string;
  startAgain: string;
}

export type SignInProblem = 'required' | 'refused' | 'tooOften' | 'noCode' | 'blocked' | 'code';

const EN: SignInWords = {
  title: 'Sign in',
  name: 'E-mail address, telephone number or user name',
  password: 'Password',
  signIn: 'Sign in',
  back: 'Back',
  wrong: 'Something is not right yet',
  problems: {
    required: 'Please fill this in.',
    refused: 'Name or password is wrong, or there were too many wrong tries. After ten, wait half an hour.',
    tooOften: 'That was too often. Please wait some minutes.',
    noCode: 'We have no confirmed address to send you a code. Ask whoever gave you the account.',
    blocked: 'You cannot sign in at the moment. Ask whoever gave you the account.',
    code: 'The code is wrong, used or too old.',
  },
  codeTitle: 'One more step',
  codeText: 'Type the code that we have sent you, or the one that your authenticator app shows.',
  code: 'Code',
  codeHint: 'Or one of your recovery codes',
  goOn: 'Go on',
  confirmTitle: 'Confirm the payment',
  confirmText: {
    email: 'We have sent you an e-mail with a code. It names the amount and who gets it: compare them.',
    sms: 'We have sent you an SMS with a code. It names the amount and who gets it: compare them.',
    totp: 'Type the code that your authenticator app shows. It confirms this payment and no other.',
  },
  amount: 'Amount',
  payee: 'To',
  confirm: 'Confirm and pay',
  startAgain: 'Start again',
};

const PT: SignInWords = {
  title: 'Entrar',
  name: 'Endereço de e-mail, número de telefone ou nome de utilizador',
  password: 'Palavra-passe',
  signIn: 'Entrar',
  back: 'Voltar',
  wrong: 'Ainda falta corrigir algo',
  problems: {
    required: 'Preencha este campo.',
    refused: 'O nome ou a palavra-passe está errado, ou houve demasiadas tentativas. Depois de dez, espere meia hora.',
    tooOften: 'Foram demasiadas vezes. Espere alguns minutos.',
    noCode: 'Não temos um endereço confirmado para lhe enviar um código. Fale com quem lhe deu a conta.',
    blocked: 'Não pode entrar neste momento. Fale com quem lhe deu a conta.',
    code: 'O código está errado, já foi usado ou é demasiado antigo.',
  },
  codeTitle: 'Mais um passo',
  codeText: 'Escreva o código que lhe enviámos, ou o que a sua aplicação de autenticação mostra.',
  code: 'Código',
  codeHint: 'Ou um dos seus códigos de recuperação',
  goOn: 'Continuar',
  confirmTitle: 'Confirme o pagamento',
  confirmText: {
    email: 'Enviámos-lhe um e-mail com um código. Indica o montante e quem o recebe: compare.',
    sms: 'Enviámos-lhe um SMS com um código. Indica o montante e quem o recebe: compare.',
    totp: 'Escreva o código que a sua aplicação de autenticação mostra. Confirma este pagamento e nenhum outro.',
  },
  amount: 'Montante',
  payee: 'Para',
  confirm: 'Confirmar e pagar',
  startAgain: 'Começar de novo',
};

const LANGUAGES: Record<string, SignInWords> = { en: EN, pt: PT };

/** In a language that is not there: in English. */
export const wordsIn = (language: string): SignInWords => LANGUAGES[language] ?? EN;
