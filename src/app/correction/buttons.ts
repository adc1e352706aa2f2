import type * as contract from '../../contract/answers.ts';
import { BUTTON_KEYS, READ_DOCUMENTS } from '../../contract/credentials.ts';
import { MAX_BUTTONS } from '../../contract/routes/buttons.ts';
import { buttonAccess } from '../../domain/access/calls.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { differences } from '../../domain/correction/differences.ts';
import { isDocumentEvent, keyOf } from '../../domain/document/evolve.ts';
import type { PublishTarget } from '../../domain/events.ts';
import type { ButtonModel, EndpointModel } from '../../domain/model.ts';
import { testCase } from '../../domain/test/model.ts';
import { accepted } from '../../kernel/errors.ts';
import { type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { isLargerThan } from '../../kernel/json-size.ts';
import { accessAt, accessOf, actorOf, hasNeed, requireNeed } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import type { Endpoints } from '../endpoints/endpoints.ts';
import { runTest, SINGLE_TRACE_BYTES, type TestEnvironment } from '../management/test-runs.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import { documentIn } from '../project/state-access.ts';
import type { DocumentWrites } from '../storage/document-writes.ts';
import type { Why } from './answering.ts';
import { coinsOf, MAX_LINES } from './correcting.ts';

/** Buttons of the game's own: endpoints with `console`, which people run from the console, or whoever has the permission `buttons`. */
export interface Buttons {
  /** `page`: `null` for all. */
  list(caller: Caller, page: ButtonModel['page'] | null, target: PublishTarget): Promise<ManageAnswer<contract.Buttons>>;
  /** Runs the endpoint, or looks what would come of it. Throws as a call of it does, and 409 CONFIRM_NEEDED. */
  press(caller: Caller, slug: string, request: Pressing, target: PublishTarget): Promise<ManageAnswer<contract.Pressed>>;
}

interface Pressing extends Why {
  /** Left out: for nobody. */
  readonly player?: string | undefined;
  readonly input: JsonObject;
  /** The text that was agreed to. */
  readonly confirm?: string | undefined;
  readonly dryRun: boolean;
}

/** Bytes of values that a look shows. */
const LOOK_BYTES = SINGLE_TRACE_BYTES;

export function createButtons(context: AppContext, endpoints: Endpoints): Buttons {
  return {
    async list(caller, page, target) {
      const project = await projectOf(context, caller);
      const { key, definitions } = accessAt(project, caller, target);
      requireNeed(key, BUTTON_KEYS.needs);
      const found = definitions.endpoints.flatMap(shownButton).filter((each) => page === null || each.page === page);
      const shown = found.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1)).slice(0, MAX_BUTTONS);
      return { ...positioned(context, project, caller), result: { ok: true, buttons: shown, more: found.length - shown.length } };
    },

    async press(caller, slug, request, target) {
      const { player = null } = request;
      const as = { ...caller, platformId: player, onBehalfOf: null };
      if (request.dryRun) return look(context, as, slug, request, target);
      const { input, reason, ticket, confirm } = request;
      const call = { slug, target, input, unproven: () => input, fromQuery: false, sealed: null, security: null, library: false };
      const { status, body, position, stale, replayed } = await endpoints.call(as, { ...call, pressed: { reason, ticket, confirm } });
      return {
        ...{ position, stale, replayed },
        result: {
          ...{ ok: true, revision: replayed ? null : position, endpoint: slug, player },
          result: { ok: isOk(status, body), status, body },
        },
      };
    },
  };
}

/** The button of an endpoint that runs; none where it has none. */
function shownButton({ slug, button, enabled, deprecated, definition }: EndpointModel): readonly contract.Buttons['buttons'][number][] {
  if (button === null || !enabled || deprecated) return [];
  return [{ endpoint: slug, ...button, description: stringOf(definition.description) ?? null, input: definition.input ?? null }];
}

function sortKey({ page, label, endpoint }: contract.Buttons['buttons'][number]): string {
  return `${page}\0${label.toLowerCase()}\0${endpoint}`;
}

function isOk(status: number, body: Json): boolean {
  return status < 400 && objectOf(body)['ok'] !== false;
}

type Look = Required<Pick<contract.Pressed, 'documents' | 'coins' | 'more'>>;
const NOTHING: Look = { documents: [], coins: [], more: 0 };

/** Runs the endpoint on what is stored, and stores nothing. A refusal is part of the answer. */
async function look(
  context: AppContext,
  caller: Caller,
  slug: string,
  { player: named, input }: Pressing,
  target: PublishTarget,
): Promise<ManageAnswer<contract.Pressed>> {
  const player = named ?? null;
  const project = await projectOf(context, caller);
  // A refusal stores nothing, whatever its steps did before; an answer stores what they did, whatever its status.
  let seen: Look | null = null;
  let mayRead = false;
  const environment: TestEnvironment = {
    project,
    actor: actorOf(caller),
    accessOf(ctx) {
      seen = null;
      const access = accessOf(ctx, caller, target);
      requireNeed(access.key, BUTTON_KEYS.needs);
      accepted(buttonAccess(access, slug, { player, isLook: true }));
      return access;
    },
  };
  const test = { ...testCase({ endpoint: slug }), input, platformId: player ?? 'anonymous' };
  const asServer = { hasSecretKey: true, isDedicatedServer: true };
  const run = await runTest(context, environment, test, asServer, SINGLE_TRACE_BYTES, (ctx, access, writes) => {
    seen = lookAt(ctx, access, writes);
    mayRead = hasNeed(access.key, READ_DOCUMENTS);
  });
  if (run === null) throw new Error('an endpoint that has a button runs');
  const { ok, status, body } = run;
  const answer = { ok: true as const, dryRun: true as const, revision: null, endpoint: slug, player, result: { ok, status, body } };
  const shown = seen === null ? NOTHING : mayRead ? seen : {};
  return { ...positioned(context, project, caller), result: { ...answer, ...shown } };
}

/** What a run would change, within bounds. */
function lookAt(ctx: DecisionContext, { space }: AccessContext, writes: DocumentWrites): Look {
  const addresses = new Map(
    writes.events
      .filter(isDocumentEvent)
      .map((event) => [`${event.data.collection}/${keyOf(event)}`, [event.data.collection, keyOf(event)] as const]),
  );
  let room = LOOK_BYTES;
  let more = 0;
  const documents = [...addresses.values()].flatMap(([collection, key]) => {
    const before = documentIn(ctx, space, collection, key).state?.document ?? null;
    const after = writes.located(collection, key).state;
    const changes = differences(before, after?.document ?? null);
    const shown = changes.filter((change) => {
      if (isLargerThan({ ...change }, room)) return false;
      room -= Buffer.byteLength(stringifyJson({ ...change }));
      return true;
    });
    more += changes.length - shown.length;
    if (shown.length === 0) return [];
    return [{ collection, key, version: after?.document == null ? null : after.version, changes: shown }];
  });
  const coins = coinsOf(writes.events);
  more += Math.max(documents.length - MAX_LINES, 0) + Math.max(coins.length - MAX_LINES, 0);
  return { documents: documents.slice(0, MAX_LINES), coins: coins.slice(0, MAX_LINES), more };
}
