import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import type { Conversation } from '../../commerce/tickets/ticket';
import type { Tickets } from '../../commerce/tickets/tickets';
import { DomainError } from '../../domain/errors';
import { idFromUuid } from '../../domain/ids';
import { isEmail, type Problems, seedOf, type Typed } from './form';
import type { Reader } from './reader';
import type { View } from './view';
import type { Problem } from './words';

const MAX_WORDS = 2_000;

/** What a request about a ticket came to: a page, or another address. */
export type Outcome = { status: number; view: View } | { location: string };

interface Question {
  reader: Reader;
  link: PaymentLinkRow;
  /** The address of the page of the link. */
  base: string;
}

/** Questions to the seller, on the page of a link: `/pay/{token}/tickets`, and `…/{ticketId}` with the answers. */
export class TicketPages {
  constructor(private readonly tickets: Tickets) {}

  /** Throws `not_found`. */
  async read({ reader, link, base }: Question, ticketId: string | undefined): Promise<Outcome> {
    if (!ticketId) return { status: 200, view: formView({ reader, base }, {}, {}) };
    return { status: 200, view: conversationView(reader, await this.tickets.ofLink(link, ticketId), base) };
  }

  /** Throws `not_found`. */
  async write(question: Question, ticketId: string | undefined, typed: Typed): Promise<Outcome> {
    const { reader, link, base } = question;
    const problems = problemsOf(typed, ticketId === undefined);
    if (Object.keys(problems).length > 0) {
      const view = ticketId
        ? conversationView(reader, await this.tickets.ofLink(link, ticketId), base, { typed, problems })
        : formView(question, typed, problems);
      return { status: 400, view };
    }
    try {
      const { id } = ticketId
        ? await this.tickets.askAgain(link, ticketId, typed.words!)
        : await this.tickets.ask(link, {
            id: idFromUuid('ticket', seedOf(typed.attempt)),
            email: typed.email!,
            words: typed.words!,
          });
      return { location: `${base}/tickets/${id}?lang=${reader.words.language}` };
    } catch (error) {
      const isFull = error instanceof DomainError && (error.code === 'rate_limited' || error.code === 'invalid_state');
      if (!isFull) throw error;
      return { status: 429, view: { ...formView(question, typed, {}), alert: reader.words.problems.unavailable } };
    }
  }
}

function problemsOf(typed: Typed, withEmail: boolean): Problems {
  const email: Problem | undefined = !typed.email ? 'required' : isEmail(typed.email) ? undefined : 'email';
  const words: Problem | undefined = !typed.words ? 'required' : typed.words.length > MAX_WORDS ? 'tooLong' : undefined;
  return { ...(withEmail && email ? { email } : {}), ...(words ? { words } : {}) };
}

function formView({ reader, base }: Pick<Question, 'reader' | 'base'>, typed: Typed, problems: Problems): View {
  const { words } = reader;
  return {
    title: words.help,
    text: words.helpText,
    alert: Object.keys(problems).length > 0 ? words.wrong : undefined,
    form: {
      action: `${base}/tickets`,
      button: words.send,
      hidden: [['attempt', seedOf(typed.attempt)]],
      ways: [],
      fields: [
        {
          ...fieldOf(reader, 'email', words.yourEmail, typed, problems),
          type: 'email',
          autocomplete: 'email',
        },
        { ...fieldOf(reader, 'words', words.yourMessage, typed, problems), isLong: true },
      ],
    },
    links: [{ href: `${base}?lang=${words.language}`, text: words.backToPayment }],
  };
}

function conversationView(
  reader: Reader,
  { ticket, messages }: Conversation,
  base: string,
  { typed = {}, problems = {} }: { typed?: Typed; problems?: Problems } = {},
): View {
  const { words } = reader;
  return {
    ...(ticket.status === 'open' ? words.ticketSent : { title: words.help }),
    conversation: messages.map(({ author, words: said, at }) => ({
      who: author === null ? words.you : words.seller,
      when: reader.time(at),
      said,
    })),
    form: {
      action: `${base}/tickets/${ticket.id}`,
      button: words.send,
      hidden: [],
      ways: [],
      fields: [{ ...fieldOf(reader, 'words', words.yourMessage, typed, problems), isLong: true }],
    },
    links: [{ href: `${base}?lang=${words.language}`, text: words.backToPayment }],
  };
}

function fieldOf({ words }: Reader, name: string, label: string, typed: Typed, problems: Problems) {
  const problem = problems[name] && words.problems[problems[name]];
  return {
    name,
    label,
    value: typed[name] ?? '',
    type: 'text',
    required: true,
    problem,
    describedBy: problem && `${name}-problem`,
  };
}
