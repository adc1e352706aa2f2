import { checkArguments, requireKind } from './arguments.ts';
import type { Connection } from './connection.ts';
import { failure, mapped, type Result, type SavepointError, success } from './errors.ts';
import type { AnyJson } from './game.ts';
import { newIdempotencyKey } from './ids.ts';
import { jsonText } from './json-text.ts';
import { type CallOptions, liveRevision } from './options.ts';
import type { Relay } from './relay.ts';
import type { Prepared, Settings } from './request.ts';
import { requestId, seal } from './seal.ts';
import type { Modes, Security } from './security.ts';
import type { Session, Sessions } from './sessions.ts';

/** Endpoint calls: encrypted and with a session if the project demands it. Each happens once, whatever the network does. */

export class Calls {
  readonly #connection: Connection;
  readonly #security: Security;
  readonly #sessions: Sessions;
  readonly #relay: () => Relay | null;
  readonly #errors = new Map<string, SavepointError>();

  constructor(connection: Connection, security: Security, sessions: Sessions, relay: () => Relay | null) {
    this.#connection = connection;
    this.#security = security;
    this.#sessions = sessions;
    this.#relay = relay;
  }

  /** Calls an endpoint. `input`: an object. `endpoint`: a slug, or an address that ends with one. */
  async call(endpoint: string, input: unknown = {}, options: CallOptions = {}): Promise<Result<AnyJson>> {
    const slug = checkArguments(() => requireKind('endpoint', endpoint, 'string')).ok ? slugOf(endpoint) : '';
    if (slug === '') return failure('INVALID_ARGUMENT', `"${endpoint}" names no endpoint`);
    const { idempotencyKey: key = newIdempotencyKey() } = options;
    const result = await this.#connection.followed({ key }, () => this.#carryOut(slug, input, key, options));
    const body = this.#connection.revisions.noteCall(result.ok ? result.value : result.error.body, result.ok);
    if (result.ok) this.#errors.delete(slug);
    else this.#errors.set(slug, result.error);
    return result.ok ? success(body) : result;
  }

  lastError(endpoint: string): SavepointError | null {
    requireKind('endpoint', endpoint, 'string');
    return this.#errors.get(slugOf(endpoint)) ?? null;
  }

  async #carryOut(slug: string, input: unknown, key: string, options: CallOptions): Promise<Result<unknown>> {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      return failure('INVALID_ARGUMENT', 'The input of an endpoint is an object');
    }
    // Checked before the body is encrypted, so that an input that JSON cannot hold is always refused the same way.
    const printed = jsonText(input, this.#connection.options.json);
    if (!printed.ok) return printed;
    const relay = this.#relay();
    return relay === null ? this.#send(slug, input, key, options) : this.#relayed(relay, slug, input, key, options);
  }

  async #send(slug: string, input: object, key: string, options: CallOptions): Promise<Result<unknown>> {
    const answer = await this.#connection.send({
      method: 'POST',
      family: 'endpoints',
      path: [slug],
      player: 'proven',
      key,
      isRepeatable: true,
      refusesWith200: true,
      answer: 'any',
      options,
      prepare: (settings) => this.#prepare(settings, slug, input),
      recover: (error) => this.#security.recover(error),
    });
    return mapped(answer, ({ body }) => body);
  }

  /**
   * Sends the call through the host. The body is encrypted here, in the guest's name, so the host sees no more of it than the network does.
   */
  async #relayed(relay: Relay, slug: string, input: object, key: string, options: CallOptions): Promise<Result<unknown>> {
    for (let attempt = 1; ; attempt++) {
      const ready = await this.#connection.ready();
      if (!ready.ok) return ready;
      const prepared = await this.#body(ready.value, slug, input, await this.#security.modes(), null);
      const result = await relay.call(slug, prepared, key, options);
      if (result.ok || attempt > 1 || !(await this.#security.recover(result.error))) return result;
    }
  }

  async #prepare(settings: Settings, slug: string, input: object): Promise<Result<Prepared>> {
    const loaded = await this.#security.modes();
    // A secret key proves the server, so there is no session, and nothing is encrypted.
    const modes = settings.secretKey ? { ...loaded, sessions: false, encryption: false } : loaded;
    const session = modes.sessions ? await this.#sessions.ensure() : null;
    const mode = clientMode(modes, session !== null);
    const headers = { 'x-ns-security-mode': mode, ...(modes.version === '' ? {} : { 'x-ns-security-config-version': modes.version }) };
    return success({ headers, body: await this.#body(settings, slug, input, modes, session) });
  }

  async #body(settings: Settings, slug: string, input: object, modes: Modes, session: Session | null) {
    const { publicKey, projectId, player } = settings;
    const security = {
      configVersion: modes.version,
      clientMode: clientMode(modes, session !== null),
      authSessions: modes.sessions ? 'enabled' : 'disabled',
      encryptedRequests: modes.encryption ? 'required' : 'disabled',
      revisionId: liveRevision(settings) ?? 0,
      revisionOutdated: this.#connection.revisions.isOutdated,
    };
    const body = bodyOf(input, { security, _endpointSlug: slug });
    if (!modes.encryption) return body;
    const stringify = this.#connection.options.json?.stringify ?? JSON.stringify;
    const plain = stringify({ ...body, encryptedRequestId: requestId(this.#security.now()) });
    const identity = session === null ? { platformId: player?.id ?? 'anonymous' } : { sessionId: session.id };
    return { security, encrypted: true, envelope: await seal({ publicKey, projectId, identity, plain }) };
  }
}

/** Members of a body that are about the call. */
const OF_CALLS =
  /^(?:input|args|endpoint|slug|security|_endpointSlug|encrypted|envelope|encryptedRequest(?:Id)?|apiKey|token|authSessionToken|sessionToken|platformId|steamId)$/;

/** The body of a call. An input one of whose members would be taken for one of the call is nested under `input`. */
function bodyOf(input: object, call: object): object {
  return Object.keys(input).some((name) => OF_CALLS.test(name)) ? { input, ...call } : { ...input, ...call };
}

function clientMode({ sessions, encryption }: Modes, hasSession: boolean): string {
  if (encryption) return sessions && hasSession ? 'session+encrypted' : 'encrypted';
  return sessions ? 'session' : 'legacy';
}

/** The last segment of an address, or the slug as it is; '' if the address has none. */
function slugOf(endpoint: string): string {
  const text = endpoint.trim();
  if (!/^https?:\/\//i.test(text)) return text;
  try {
    const parts = new URL(text).pathname.split('/').filter((part) => part !== '');
    return decodeURIComponent(parts.at(-1) ?? '');
  } catch {
    return '';
  }
}
