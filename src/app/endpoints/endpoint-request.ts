import type { SecurityBlock } from '../../contract/resources/call.ts';
import type { PublishTarget } from '../../domain/events.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Positioned } from '../answers.ts';

export interface EndpointRequest {
  readonly slug: string;
  readonly target: PublishTarget;
  /** Input without the transport's members. Values are strings if they came from the query (`fromQuery`). Empty if the body is sealed. */
  readonly input: JsonObject;
  /**
   * The input without members that prove the caller: what an idempotency key covers, as a call that is sent again may prove it otherwise,
   * and what the log may keep.
   */
  readonly unproven: () => JsonObject;
  readonly fromQuery: boolean;
  /** The envelope of a sealed body, as it was sent. */
  readonly sealed: JsonObject | null;
  /** The body's `security` block, unchecked. */
  readonly security: SecurityBlock | null;
  /** Whether it looks like a client library's request: it has a security mode or a `security` block. */
  readonly library: boolean;
  /** The button of the console that was pressed; `null`: it is a call. */
  readonly pressed: Pressed | null;
}

/** Why somebody pressed a button, and what that person was asked. */
interface Pressed {
  readonly reason: string;
  readonly ticket: string | undefined;
  /** The text that the person agreed to. */
  readonly confirm: string | undefined;
}

export interface EndpointAnswer extends Positioned {
  readonly status: number;
  /** Beginning of the hash of the definitions that it ran with: `x-ns-publish`. */
  readonly publish: string;
  readonly body: Json;
}
