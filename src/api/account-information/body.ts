import type { Listed } from '../../open-banking/account-information/service';

/** The address at which a list was asked for: its path on the entrance, and the query as it was sent. */
export interface Asked {
  /** Base address of the entrance, without a slash at the end. */
  base: string;
  path: string;
  /** The filters, without `cursor`. Every page keeps them. */
  filters?: Record<string, string | number | undefined>;
  cursor?: string;
}

/** The body of every answer of the standard. */
export interface Body {
  Data: object;
  Links: { Self: string; First?: string; Prev?: string; Next?: string };
  Meta: { TotalPages?: number; FirstAvailableDateTime?: string; LastAvailableDateTime?: string };
}

/**
 * A body with what was read, the addresses of the pages beside it, and what the standard calls `Meta`. How many pages there
 * are is told where there is one: nobody counts a long list for that.
 */
export function bodyOf(
  asked: Asked,
  Data: object,
  pages: Pick<Listed<unknown>, 'first' | 'prev' | 'next'> = {},
  available: { from?: Date | null; to?: Date | null } = {},
): Body {
  const isOnlyPage = asked.cursor === undefined && pages.next === undefined;
  const link = (cursor: string | undefined) => cursor && addressOf({ ...asked, cursor });
  return {
    Data,
    Links: withoutAbsent({
      Self: addressOf(asked),
      First: isOnlyPage ? undefined : link(pages.first),
      Prev: link(pages.prev),
      Next: link(pages.next),
    }),
    Meta: withoutAbsent({
      TotalPages: isOnlyPage ? 1 : undefined,
      FirstAvailableDateTime: available.from?.toISOString(),
      LastAvailableDateTime: available.to?.toISOString(),
    }),
  };
}

function addressOf({ base, path, filters = {}, cursor }: Asked): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filters, cursor }))
    if (value !== undefined) query.set(name, String(value));
  return `${base}${path}${query.size > 0 ? `?${query}` : ''}`;
}

function withoutAbsent<Members extends object>(
  members: Members,
): { [Name in keyof Members]: Exclude<Members[Name], undefined> } {
  return JSON.parse(JSON.stringify(members));
}
