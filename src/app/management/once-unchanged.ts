import { Refusal, refusal } from '../../kernel/errors.ts';

/**
 * The definitions are no longer those that were looked at before the decision. It is a refusal, so a decision that read a publish under way
 * waits for that publish. Its status is 503, so no idempotency key keeps it. Only {@link onceUnchanged} sees it.
 */
export class DefinitionsChanged extends Refusal {
  constructor() {
    super(503, 'BUSY', 'Somebody else publishes');
  }
}

/** How often the look and the decision are made again if somebody else publishes meanwhile. */
const MAX_ATTEMPTS = 5;

/** Looks at the definitions and decides on them. `attempt` throws {@link DefinitionsChanged} to begin again. Throws 409 WRITE_CONFLICT. */
export async function onceUnchanged<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DefinitionsChanged)) throw error;
    }
  }
  throw refusal('WRITE_CONFLICT');
}
