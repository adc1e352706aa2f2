import { ONE_LINE } from '../../../contract/values.ts';
import { type Refusal, refusal } from '../../../kernel/errors.ts';
import type { DomainEvent } from '../../events.ts';

/** Why something was published, in the words of who did it. */

/** Characters of a message. */
const MAX_MESSAGE = 500;

/** The message, without blanks around it; `null`: there is none. */
export function readMessage(text: string | null): string | null | Refusal {
  const message = text?.trim() ?? '';
  if (message === '') return null;
  if (message.length > MAX_MESSAGE)
    return refusal('INVALID_REQUEST', `\`message\` has ${message.length} characters, and at most ${MAX_MESSAGE} are kept`);
  if (!ONE_LINE.test(message)) return refusal('INVALID_REQUEST', '`message` is one line of text: it holds a control character');
  return message;
}

/** The events of a publish, with the message in what it publishes. */
export function withMessage(events: readonly DomainEvent[], message: string): readonly DomainEvent[] {
  return events.map((event): DomainEvent => {
    switch (event.type) {
      case 'definitions.published':
        return { ...event, data: { ...event.data, message } };
      case 'definitions.promoted':
        return { ...event, data: { ...event.data, message } };
      case 'definitions.rolledBack':
        return { ...event, data: { ...event.data, message } };
      default:
        return event;
    }
  });
}
