import type { ProjectSettings } from '../domain/project/settings.ts';
import type { Opened } from '../domain/security/envelope.ts';
import { type Refusal, refusal } from '../kernel/errors.ts';
import type { Decision } from './commit.ts';
import type { View } from './view.ts';

/** The answer of a decision that used an id up: a refusal of the call is stored with it, and thrown by {@link unwrapped}. */
export type Consumed<A> = { readonly answer: A } | { readonly refused: Refusal };

export interface RequestIdentity {
  readonly type: Opened['type'];
  readonly identity: string;
  readonly requestId: string;
}

/** Until used request ids are remembered, no sealed request is safe to run: refused. */
export function consuming<A>(
  _view: View,
  _now: number,
  _settings: ProjectSettings,
  _request: RequestIdentity,
  _decide: () => Decision<A> | Refusal,
): Decision<Consumed<A>> {
  throw refusal('STORAGE_UNAVAILABLE', 'Request ids are not remembered here yet');
}

/** The call's answer; throws what it refused with. */
export function unwrapped<A>(consumed: Consumed<A>): A {
  if ('refused' in consumed) throw consumed.refused;
  return consumed.answer;
}
