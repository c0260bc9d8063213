import type { Area } from '../area';
import { words } from '../words/words';

/** Signing in, and what belongs to the signed-in person. */
export const account: Area = {
  words: words({
    en: {
      account: {
        signIn: 'Sign in',
        email: 'E-mail address',
        password: 'Password',
        code: 'Code of your authenticator app',
        codeHelp: 'Or one of your recovery codes.',
      },
    },
    pt: {
      account: {
        signIn: 'Iniciar sessão',
        email: 'Endereço de e-mail',
        password: 'Palavra-passe',
        code: 'Código da sua aplicação de autenticação',
        codeHelp: 'Ou um dos seus códigos de recuperação.',
      },
    },
  }),
};
