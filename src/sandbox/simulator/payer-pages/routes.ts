import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Desk, Personality } from '../personality';
import type { Charge, PageOutcome } from '../records';
import { readForm } from '../request';
import { type Content, pictureOf, Reader, show, showMessage } from './page';
import type { Task } from './view';
import type { Message, Words } from './words';

/** How long the payer waits for the merchant's side to hear of the outcome before being sent back. */
const TOLD_WITHIN_MS = 1_000;

/**
 * The page on which a payer authenticates (card issuer) or pays (everybody else), at `/<letter>/challenge/<id>`. Works
 * without JavaScript.
 */
export function payerRouter(personality: Personality, { payers, books }: Desk): Router {
  const { processor, name } = personality;
  const router = new Router({ prefix: `/${processor}/challenge` });

  router.get('/:id', async (ctx) => {
    const charge = chargeOf(ctx.params.id);
    if (!charge) return showMessage(ctx, name, 404, 'unknown');
    if (!payers.awaits(charge)) return showMessage(ctx, name, 410, 'nothingToDo');
    const reader = new Reader(ctx);
    show(ctx, reader, name, 200, await contentOf(charge, personality, reader));
  });

  router.post('/:id', async (ctx) => {
    const charge = chargeOf(ctx.params.id);
    if (!charge) return showMessage(ctx, name, 404, 'unknown');
    const { outcome } = await readForm(ctx);
    const pressed = buttonsOf(charge, new Reader(ctx).words).find(([value]) => value === outcome)?.[0];
    if (!pressed) return showMessage(ctx, name, 400, 'choose');
    const { told } = payers.answer(charge, pressed);
    const waiting = new AbortController();
    await Promise.race([told, sleep(TOLD_WITHIN_MS, undefined, { signal: waiting.signal }).catch(() => undefined)]);
    waiting.abort();
    goBack(ctx, charge, name);
  });

  function chargeOf(id: string | undefined): Charge | undefined {
    const charge = id ? books.chargeOfChallenge(id) : undefined;
    return charge?.processor === processor ? payers.refresh(charge) : undefined;
  }

  return router;
}

async function contentOf(charge: Charge, personality: Personality, reader: Reader): Promise<Content> {
  const { words } = reader;
  const { currency, amountMinor, receivedMinor = 0n, card, challenge } = charge;
  const { task, facts, code, payee } = personality.viewOf?.(charge) ?? { facts: [] };
  const svg = code && (await pictureOf(code));
  const missing = reader.amount(amountMinor - receivedMinor, currency);
  const shown: [string, string | undefined][] = [
    [words.merchant, charge.descriptor || payee || words.unnamedMerchant],
    [words.amount, reader.amount(amountMinor, currency)],
    [words.receivedSoFar, receivedMinor > 0n ? reader.amount(receivedMinor, currency) : undefined],
    [words.stillMissing, receivedMinor > 0n ? missing : undefined],
    [words.card, card && words.cardEnding(card.brand, card.last4)],
    ...facts.map(([name, value]): [string, string | undefined] => [
      words.facts[name],
      typeof value === 'object' ? reader.quantity(value) : value,
    ]),
    [words.payment, charge.reference],
    [words.openUntil, challenge && reader.time(challenge.expiresAt)],
  ];
  return {
    title: charge.status === 'challenge' ? words.isThisYours : words.pay(missing),
    text: words.tasks[task ?? taskOf(charge)],
    picture: svg ? { label: words.qrCode, svg } : undefined,
    facts: shown.filter((fact): fact is [string, string] => fact[1] !== undefined),
    buttons: buttonsOf(charge, words),
  };
}

function taskOf({ kind }: Charge): Task {
  switch (kind) {
    case undefined:
    case 'wallet':
    case 'direct_debit':
      return 'card';
    default:
      return kind;
  }
}

/** Money that is sent may be more or less than was asked for. */
function buttonsOf({ kind, status }: Charge, words: Words): [PageOutcome, string][] {
  const isSent = kind === 'bank_transfer' || kind === 'crypto';
  const labels = isSent ? words.send : status === 'challenge' ? words.authenticate : words.payOrNot;
  return Object.entries(labels) as [PageOutcome, string][];
}

function goBack(ctx: Context, charge: Charge, processor: string): void {
  const target = charge.returnUrl ? returnTarget(charge.returnUrl, charge.reference) : undefined;
  if (target) {
    ctx.status = 303;
    ctx.set('Location', target);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = '';
    return;
  }
  const message = endOf(charge);
  showMessage(ctx, processor, message === 'tooLate' ? 410 : 200, message);
}

function endOf({ status, challenge }: Charge): Message {
  const { outcome } = challenge ?? {};
  if (status === 'declined' && outcome === undefined) return 'notPaid';
  if (status === 'waiting') return 'partlyPaid';
  if (outcome === undefined) return 'tooLate';
  return outcome === 'failed' ? 'refused' : 'confirmed';
}

/** The payment's id goes along, for convenience: it proves nothing. */
function returnTarget(returnUrl: string, paymentId: string): string | undefined {
  if (!URL.canParse(returnUrl)) return undefined;
  const url = new URL(returnUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  url.searchParams.set('paymentId', paymentId);
  return url.href;
}
