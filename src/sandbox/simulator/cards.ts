/** What a test card makes its processor do. */
export type CardBehaviour =
  | 'approve'
  | 'challenge'
  | 'frictionless'
  | 'authentication_fails'
  | 'challenge_then_decline'
  | 'authentication_required'
  | 'do_not_honour'
  | 'insufficient_funds'
  | 'expired_card'
  | 'cvv_mismatch'
  | 'lost_card'
  | 'close_connection'
  | 'never_answer'
  | 'decline_refund'
  | 'charge_back';

const TEST_CARDS: ReadonlyMap<string, CardBehaviour> = new Map([
  ['4111111111111111', 'approve'],
  ['5555555555554444', 'approve'],
  ['378282246310005', 'approve'],
  ['4000000000003220', 'challenge'],
  ['4000000000003055', 'frictionless'],
  ['4000000000003097', 'authentication_fails'],
  ['4000008400001629', 'challenge_then_decline'],
  ['4000002760003184', 'authentication_required'],
  ['4000000000000002', 'do_not_honour'],
  ['4000000000009995', 'insufficient_funds'],
  ['4000000000000069', 'expired_card'],
  ['4000000000000127', 'cvv_mismatch'],
  ['4000000000009987', 'lost_card'],
  ['4000000000000119', 'close_connection'],
  ['4000000000006975', 'never_answer'],
  ['4000000000005126', 'decline_refund'],
  ['4000000000000259', 'charge_back'],
]);

const WORDS: Record<CardBehaviour, string> = {
  approve: 'Approved. The payer is not asked for 3-D Secure, unless the payment requires it.',
  challenge: 'The payer is asked for 3-D Secure. Then approved, or failed with code 300, as the payer chooses.',
  frictionless: '3-D Secure without a question to the payer. Approved.',
  authentication_fails: '3-D Secure fails (code 300).',
  challenge_then_decline: 'The payer is asked for 3-D Secure. Then declined (code 200).',
  authentication_required:
    'Declined without 3-D Secure: the payment is sent again with it, and the payer is asked. Then approved.',
  do_not_honour: 'Declined (code 200).',
  insufficient_funds: 'Declined: insufficient funds (code 201).',
  expired_card: 'Declined: the card has expired (code 202).',
  cvv_mismatch: 'Declined: the security code does not match (code 203).',
  lost_card: 'Declined: the card is reported lost (code 205).',
  close_connection: 'The processor closes the connection and charges nothing. Fails with code 501 within 30 seconds.',
  never_answer: 'The processor charges and never answers. Pending with code 500, then captured within 30 seconds.',
  decline_refund: 'Approved. A refund of it is declined later.',
  charge_back: 'Approved. A chargeback follows after 5 seconds.',
};

/** The numbers that do something of their own, and what: for people who try the sandbox. */
export function testCards(): { number: string; brand: string; behaviour: CardBehaviour; description: string }[] {
  return [...TEST_CARDS].map(([number, behaviour]) => ({
    number,
    brand: brandOf(number),
    behaviour,
    description: WORDS[behaviour],
  }));
}

/** Every other number approves. */
export function behaviourOf(number: string): CardBehaviour {
  return TEST_CARDS.get(number) ?? 'approve';
}

export function brandOf(number: string): string {
  if (number.startsWith('4')) return 'VISA';
  if (/^(5[1-5]|2[2-7])/.test(number)) return 'MASTERCARD';
  if (/^3[47]/.test(number)) return 'AMEX';
  return 'CARD';
}

/** 12 to 19 digits with a right check digit (ISO/IEC 7812-1, annex B: Luhn). */
export function isCardNumber(number: string): boolean {
  if (!/^[0-9]{12,19}$/.test(number)) return false;
  let sum = 0;
  for (let place = 0; place < number.length; place += 1) {
    const digit = number.charCodeAt(number.length - 1 - place) - 48;
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** A card is good until the last moment of its month. */
export function isExpired(expiryMonth: string, expiryYear: string, now: Date): boolean {
  const year = Number(expiryYear);
  return year < now.getUTCFullYear() || (year === now.getUTCFullYear() && Number(expiryMonth) < now.getUTCMonth() + 1);
}

export type DeclineReason =
  | 'do_not_honour'
  | 'insufficient_funds'
  | 'expired_card'
  | 'cvv_mismatch'
  | 'lost_card'
  | 'account_closed'
  | 'no_mandate'
  | 'payer_refused'
  | 'authentication_required';

export type Decision =
  | { kind: 'approve'; frictionless?: boolean }
  | { kind: 'challenge' }
  | { kind: 'decline'; reason: DeclineReason }
  | { kind: 'fail_authentication' }
  | { kind: 'close_connection' };

/**
 * What the issuer of a card answers. `authenticate` is false where 3-D Secure is out of the question: switched off by the
 * merchant, or a payment the payer is not present for.
 */
export function decide(
  behaviour: CardBehaviour,
  { authenticate, required, expired }: { authenticate: boolean; required: boolean; expired: boolean },
): Decision {
  if (expired && behaviour !== 'close_connection') return { kind: 'decline', reason: 'expired_card' };
  switch (behaviour) {
    case 'close_connection':
      return { kind: 'close_connection' };
    case 'do_not_honour':
    case 'insufficient_funds':
    case 'expired_card':
    case 'cvv_mismatch':
    case 'lost_card':
      return { kind: 'decline', reason: behaviour };
    case 'challenge_then_decline':
      return authenticate ? { kind: 'challenge' } : { kind: 'decline', reason: 'do_not_honour' };
    case 'authentication_required':
      return authenticate ? { kind: 'challenge' } : { kind: 'decline', reason: 'authentication_required' };
    case 'challenge':
      return authenticate ? { kind: 'challenge' } : { kind: 'approve' };
    case 'authentication_fails':
      return authenticate ? { kind: 'fail_authentication' } : { kind: 'approve' };
    case 'frictionless':
      return { kind: 'approve', frictionless: authenticate };
    case 'never_answer':
      return { kind: 'approve' };
    case 'approve':
    case 'decline_refund':
    case 'charge_back':
      return authenticate && required ? { kind: 'challenge' } : { kind: 'approve' };
  }
}

/** For kinds without a card, the last two digits of the minor amount do what the test cards do; all others go their way. */
export function decideByAmount(amountMinor: bigint): Decision | { kind: 'proceed' } {
  return AMOUNTS.get(Number(amountMinor % 100n))?.decision ?? { kind: 'proceed' };
}

const AMOUNTS: ReadonlyMap<number, { decision: Decision; description: string }> = new Map([
  [2, { decision: { kind: 'decline', reason: 'do_not_honour' }, description: 'Declined (code 200).' }],
  [
    95,
    {
      decision: { kind: 'decline', reason: 'insufficient_funds' },
      description: 'Declined: insufficient funds (code 201).',
    },
  ],
  // That it charges first is the processor's doing: see its calls.
  [75, { decision: { kind: 'approve' }, description: WORDS.never_answer }],
  [19, { decision: { kind: 'close_connection' }, description: WORDS.close_connection }],
]);

/** The last two digits of the minor amount that do something of their own, where there is no card. */
export function testAmounts(): { ending: string; description: string }[] {
  return [...AMOUNTS].map(([ending, { description }]) => ({ ending: String(ending).padStart(2, '0'), description }));
}
