import type { PublishTarget } from '../../domain/events.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Positioned } from '../answers.ts';

export interface EndpointRequest {
  readonly slug: string;
  readonly target: PublishTarget;
  /** Already freed of transport members; strings only when it came from a query text (`fromQuery`). Empty where the body is sealed. */
  readonly input: JsonObject;
  readonly fromQuery: boolean;
  /** The envelope of a sealed body, as it was sent. */
  readonly sealed: JsonObject | null;
  /** The body's `security` block, whatever it says. */
  readonly security: JsonObject | null;
  /** Whether it was sent as client libraries send a body: with a security mode or a `security` block. */
  readonly library: boolean;
}

export interface EndpointAnswer extends Positioned {
  readonly status: number;
  /** How the hash of the definitions begins that it ran with: `x-ns-publish`. */
  readonly publish: string;
  readonly body: Json;
}
