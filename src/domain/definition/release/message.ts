import type { DomainEvent } from '../../events.ts';

/** Why something was published, in the words of who did it, and for which ticket of the support desk. */

/** As whoever publishes said it; `null` or left out: not at all. */
export interface SaidWhy {
  readonly message?: string | null | undefined;
  readonly ticket?: string | null | undefined;
}

/** What was said of it, as events keep it. */
export function keptWhy({ message, ticket }: SaidWhy): { readonly message?: string; readonly ticket?: string } {
  return { ...(message == null ? {} : { message }), ...(ticket == null ? {} : { ticket }) };
}

/** The events of a publish, with what was said of it in what it publishes. */
export function withWhy(events: readonly DomainEvent[], said: SaidWhy): readonly DomainEvent[] {
  const why = keptWhy(said);
  return events.map((event): DomainEvent => {
    switch (event.type) {
      case 'definitions.published':
        return { ...event, data: { ...event.data, ...why } };
      case 'definitions.promoted':
        return { ...event, data: { ...event.data, ...why } };
      case 'definitions.rolledBack':
        return { ...event, data: { ...event.data, ...why } };
      default:
        return event;
    }
  });
}
