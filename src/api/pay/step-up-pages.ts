import type { Checkout, Choice } from '../../commerce/payment-links/checkout';
import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import { DomainError } from '../../domain/errors';
import type { SavedCardRow } from '../../money/payments/saved-card';
import type { StepUps } from '../../people/customer-access/step-ups';
import type { WebCustomer } from '../../people/customer-access/web-sessions';
import type { PageSignIn } from '../records/page-sign-in';
import type { Typed } from './form';
import type { Reader } from './reader';
import { cardName, type View } from './view';

interface Visit {
  reader: Reader;
  link: PaymentLinkRow;
  base: string;
  visitor?: WebCustomer;
}

/** A payment with a saved card is confirmed with a code first, on a page that names amount and payee. */
export class StepUpPages {
  constructor(
    private readonly checkout: Checkout,
    private readonly stepUps: StepUps,
    private readonly signIn: Pick<PageSignIn, 'stepUpPage'>,
  ) {}

  /**
   * The page that asks for the code: for the first one, or after a wrong one. Undefined where the customer has confirmed,
   * and the payment can be made. Throws as `StepUps.ask` does.
   */
  async ask(
    visit: Visit,
    typed: Typed,
    choice: Choice,
    card: SavedCardRow,
  ): Promise<{ status: number; view: View } | undefined> {
    const { link, visitor } = visit;
    const whose = { tenantId: link.tenant_id, customerId: visitor!.customerId };
    // The same form sent twice: what was accepted is not asked about again.
    if (await this.checkout.isKnown(link, choice.paymentId)) return undefined;
    if (!typed.stepUp) {
      const amountMinor = await this.checkout.amountOf(link, choice);
      const act = await this.checkout.actOf(link, whose.customerId, amountMinor);
      const { stepUpId } = await this.stepUps.ask(act, visit.reader.words.language);
      return { status: 200, view: await this.page(visit, whose, stepUpId, typed, card, false) };
    }
    try {
      await this.stepUps.confirm(whose, typed.stepUp, (typed.code ?? '').slice(0, 64));
      return undefined;
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'code_refused') throw error;
      return { status: 403, view: await this.page(visit, whose, typed.stepUp, typed, card, true) };
    }
  }

  private async page(
    { reader, base }: Visit,
    whose: { tenantId: string; customerId: string },
    stepUpId: string,
    typed: Typed,
    card: SavedCardRow,
    isRefused: boolean,
  ): Promise<View> {
    const { words } = reader;
    // What was asked about, whatever the form says by now.
    const asked = await this.stepUps.find(whose, stepUpId);
    const { code: _code, stepUp: _stepUp, ...carried } = typed;
    const view = this.signIn.stepUpPage(words.language, {
      amount: reader.amount(asked.amount_minor, asked.currency),
      payee: asked.payee_name,
      method: asked.method,
      action: base,
      hidden: [...Object.entries(carried), ['stepUp', stepUpId]],
      isRefused,
      back: `${base}?lang=${words.language}`,
    });
    return { ...view, facts: [...(view.facts ?? []), { name: words.ways.card, value: cardName(card) }] };
  }
}
