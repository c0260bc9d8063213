import { useTranslate } from 'react-admin';
import type { Answer } from '../server/api';

type Authentication = Answer<'/ipg/1.0.0/payment/payments/{paymentId}/status-by-payment-id'>['data']['authentication'];

/**
 * Says what was asked of 3-D Secure, what became of it, and why the payer need not authenticate; nothing where nobody
 * decides it.
 */
export function useAuthenticationText(): (authentication: Authentication) => string | undefined {
  const translate = useTranslate();
  const word = (one: string) => translate(`console.authentication.threeDS.${one}`);
  const exempt = (one: string) => translate(`console.authentication.exempt.${one}`);
  const say = (name: string, words?: object) => translate(`console.authentication.${name}`, words);
  return (authentication) => {
    if (!authentication) return undefined;
    const { asked, applied, exemption, softDeclined, refusedExemption } = authentication;
    return [
      say('decided', { asked: word(asked), applied: word(applied) }),
      exemption && say('exemption', { exemption: exempt(exemption) }),
      softDeclined && say('softDeclined'),
      refusedExemption && say('refusedExemption', { exemption: exempt(refusedExemption) }),
    ]
      .filter(Boolean)
      .join(' ');
  };
}
