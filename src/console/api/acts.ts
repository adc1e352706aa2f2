/** What all acts of people have in common: why, a look first, and a key of its own, so that a repeated request happens once. */

export interface Why {
  readonly reason: string;
  readonly ticket: string;
}

/** Nothing is said yet. */
export const NO_WHY: Why = { reason: '', ticket: '' };

/** Options of a look at what an act would do: made anew each time, and kept while it is shown. Its key begins with project and `look`. */
export const LOOK = { gcTime: 0, staleTime: Number.POSITIVE_INFINITY, retry: false } as const;

/** The reason of a look, which nothing keeps. */
export const LOOK_REASON = 'a look';

export function whyOf({ reason, ticket }: Why) {
  return { reason: reason.trim(), ...(ticket.trim() === '' ? {} : { ticket: ticket.trim() }) };
}

/** What was said where nothing has to be; `name`: what the route calls the reason. */
export function saidAs<Name extends string>(name: Name, why: Why): { readonly [As in Name | 'ticket']?: string } {
  const { reason, ...ticket } = whyOf(why);
  return { ...(reason === '' ? {} : { [name]: reason }), ...ticket } as { readonly [As in Name | 'ticket']?: string };
}

/** Why something is published, as far as that was said. */
export function publishWhyOf(why: Why) {
  return saidAs('message', why);
}

/** A key for one act: kept while its request is repeated, new for the next. */
export function newIntent(): string {
  return crypto.randomUUID();
}
