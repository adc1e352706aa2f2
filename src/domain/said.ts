import { ONE_LINE } from '../contract/values.ts';
import { type Refusal, refusal } from '../kernel/errors.ts';
import type { DomainEvent } from './events.ts';

/** What somebody says of an act: why, and for which ticket of the support desk. */

/** Characters of each. */
const MOST = { message: 500, reason: 500, ticket: 128 } as const;

/** One line of it, without blanks around it; `null`: there is none. */
export function readLine(name: keyof typeof MOST, text: string | null | undefined): string | null | Refusal {
  const line = text?.trim() ?? '';
  if (line === '') return null;
  if (line.length > MOST[name])
    return refusal('INVALID_REQUEST', `\`${name}\` has ${line.length} characters, and at most ${MOST[name]} are kept`);
  if (!ONE_LINE.test(line)) return refusal('INVALID_REQUEST', `\`${name}\` is one line of text: it holds a control character`);
  return line;
}

/** As whoever publishes, or changes projects, settings or keys, said it; `null` or left out: not at all. */
export interface SaidWhy {
  readonly message?: string | null | undefined;
  readonly ticket?: string | null | undefined;
}

/** What was said of it, as events keep it. */
export function keptWhy({ message, ticket }: SaidWhy): { readonly message?: string; readonly ticket?: string } {
  return { ...(message == null ? {} : { message }), ...(ticket == null ? {} : { ticket }) };
}

/** The events of an act, with what was said of it in what it publishes or changes. */
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
      case 'project.created':
        return { ...event, data: { ...event.data, ...why } };
      case 'project.deleted':
        return { ...event, data: { ...event.data, ...why } };
      case 'settings.changed':
        return { ...event, data: { ...event.data, ...why } };
      case 'key.issued':
        return { ...event, data: { ...event.data, ...why } };
      case 'key.changed':
        return { ...event, data: { ...event.data, ...why } };
      case 'key.revoked':
        return { ...event, data: { ...event.data, ...why } };
      default:
        return event;
    }
  });
}
