import { accessOf } from '../../../src/app/access.ts';
import type { Caller } from '../../../src/app/app.ts';
import { type AnswerCodec, idempotent } from '../../../src/app/idempotency.ts';
import type { Command, Decided, Decision } from '../../../src/app/project/commit.ts';
import type { DecisionContext } from '../../../src/app/project/decision-context.ts';
import { documentSubjects, windowIn } from '../../../src/app/project/state-access.ts';
import { DocumentWrites } from '../../../src/app/storage/document-writes.ts';
import { EMPTY_DEFINITIONS } from '../../../src/domain/definition/model/evolve.ts';
import { decidePutSingle } from '../../../src/domain/definition/push/decide-kind.ts';
import { decideAppend } from '../../../src/domain/document/append.ts';
import type { CollectionModel } from '../../../src/domain/model.ts';
import { changeKey } from '../../../src/domain/project/decide.ts';
import { AUTHORITY, DEFINITIONS, documentSubject, RELEASE } from '../../../src/domain/subjects.ts';
import { Refusal, refusal } from '../../../src/kernel/errors.ts';
import { isArray, isNumber, type Json, toDouble } from '../../../src/kernel/json.ts';
import { keyNamed } from '../../support/keys.ts';
import { PROJECT } from './world.ts';

/** Commands of a simulated client. Players' commands come with the key that may be locked. */
export type Ask =
  | { readonly kind: 'inc'; readonly key: string; readonly amount: number }
  /** Refused with TOO_POOR if the first wallet has less. */
  | { readonly kind: 'transfer'; readonly from: string; readonly to: string; readonly amount: number; readonly once: string | null }
  /** Sets a mark on the version that the client has seen; 0: no document may exist. */
  | { readonly kind: 'save'; readonly key: string; readonly version: number; readonly mark: number }
  | { readonly kind: 'delete'; readonly key: string }
  /** Gold and version of each wallet, at one revision. */
  | { readonly kind: 'look'; readonly keys: readonly string[] }
  | { readonly kind: 'append'; readonly recordId: string; readonly once: string | null; readonly mark: number }
  | { readonly kind: 'limit'; readonly limit: number }
  | { readonly kind: 'lock'; readonly locked: boolean };

export type Answer = number | null | readonly number[];

export const WALLETS = 'wallets';
export const FEED = 'feed';
export const PLAYER_KEY = 'player_key';
export const STAFF_KEY = 'staff_key';
const WRITER = 'referee';

export function rules(limit: number): Json {
  return [{ id: 'income', collection: WALLETS, field: 'gold', scope: 'per_player', action: 'reject', windows: { perMinute: limit } }];
}

export function commandOf(commandId: string, ask: Ask): Command<Answer> {
  return {
    commandId,
    cause: `sim.${ask.kind}`,
    actor: { kind: 'secret', keyId: keyOf(ask) },
    decide: (ctx, now) => decide(ask, ctx, now),
  };
}

export function isStaff(ask: Ask): boolean {
  return ask.kind === 'limit' || ask.kind === 'lock';
}

function keyOf(ask: Ask): string {
  return isStaff(ask) ? STAFF_KEY : PLAYER_KEY;
}

function decide(ask: Ask, ctx: DecisionContext, now: number): Decided<Answer> {
  const caller = callerOf(keyOf(ask));
  const ground = accessOf(ctx, caller, 'live');
  if (ask.kind === 'limit') return changeLimit(ctx, ask.limit, now);
  if (ask.kind === 'lock') return lock(ctx, ask.locked);
  if (ask.kind === 'append') return append(ask, ctx, now, collectionOf(ground.definitions.collection(FEED)));
  ctx.onlyReads = ask.kind === 'look';
  const wallets = collectionOf(ground.definitions.collection(WALLETS));
  ctx.expect(keysOf(ask).flatMap((key) => documentSubjects('live', WALLETS, key)));
  const writes = new DocumentWrites(ctx, ground, now, 4096);
  if (ask.kind !== 'transfer' || ask.once === null) return play(ask, writes, wallets);
  const claim = { space: 'live', scope: '@bank', caller: '', key: ask.once, request: requestOf(ask) } as const;
  const keyed = { claim, requestId: 'sim', keepsRefusals: true, rules: KEPT };
  return idempotent({ ctx, now, keyed }, PAIR_KEPT, () => play(ask, writes, wallets));
}

function play(
  ask: Exclude<Ask, { kind: 'append' | 'limit' | 'lock' }>,
  writes: DocumentWrites,
  wallets: CollectionModel,
): Decision<Answer> | Refusal {
  const operate = (key: string, op: 'inc' | 'set', path: string, value: number, saveVersion: number | null = null) =>
    writes.write(
      wallets,
      key,
      { kind: 'operations', ops: [{ op, path, value }] },
      { player: key, saveVersion, strictSaveVersion: false, checkSchema: true, source: 'simulation', isCorrection: false },
    ).version;
  switch (ask.kind) {
    case 'inc': {
      const version = operate(ask.key, 'inc', 'gold', ask.amount);
      return { events: writes.events, answer: version };
    }
    case 'transfer': {
      if (goldOf(writes, ask.from) < ask.amount) return new Refusal(409, 'TOO_POOR', 'not enough gold');
      const versions = [operate(ask.from, 'inc', 'gold', -ask.amount), operate(ask.to, 'inc', 'gold', ask.amount)];
      return { events: writes.events, answer: versions };
    }
    case 'save': {
      const version = operate(ask.key, 'set', 'mark', ask.mark, ask.version);
      return { events: writes.events, answer: version };
    }
    case 'delete':
      writes.remove(wallets, ask.key, 'simulation');
      return { events: writes.events, answer: null };
    case 'look': {
      const answer = ask.keys.flatMap((key) => {
        const { state } = writes.located(WALLETS, key);
        return [goldOf(writes, key), state?.version ?? 0];
      });
      return { events: [], answer };
    }
  }
}

function append(ask: Ask & { kind: 'append' }, ctx: DecisionContext, now: number, collection: CollectionModel): Decided<Answer> {
  const claim = { space: 'live', scope: FEED, caller: WRITER, key: ask.once ?? '', request: String(ask.mark) } as const;
  const keyed = ask.once === null ? null : { claim, requestId: 'sim', keepsRefusals: false, rules: KEPT };
  return idempotent({ ctx, now, keyed }, NUMBER_KEPT, () => {
    const decision = decideAppend({
      collection,
      space: 'live',
      body: { mark: ask.mark },
      recordId: ask.recordId,
      writerId: WRITER,
      now,
      maxBytes: 4096,
      checkSchema: true,
      fillDefaults: true,
      windowOf: (counter) => windowIn(ctx, 'live', counter),
    });
    if (decision instanceof Refusal) return decision;
    ctx.assumeAbsent(documentSubject('live', FEED, ask.recordId));
    return { events: decision.events, answer: numberIn(decision.record['_timestamp']) };
  });
}

/** What a transfer asks for. */
export function requestOf({ from, to, amount }: Ask & { kind: 'transfer' }): string {
  return `${from} ${to} ${amount}`;
}

const KEPT = { forMs: 86_400_000, bytes: 1000 };
const PAIR_KEPT: AnswerCodec<Answer> = {
  encode: (answer) => (Array.isArray(answer) ? [...answer] : null),
  decode: (kept) => (isArray(kept) ? kept.map(numberIn) : null),
};
const NUMBER_KEPT: AnswerCodec<Answer> = { encode: (answer) => Number(answer), decode: numberIn };

function changeLimit(ctx: DecisionContext, limit: number, now: number): Decision<Answer> | Refusal {
  // Every publish changes it.
  ctx.read(RELEASE);
  const decision = decidePutSingle(ctx.read(DEFINITIONS) ?? EMPTY_DEFINITIONS, 'rate-limit-rules', rules(limit), 'live', now);
  return decision instanceof Refusal ? decision : { events: decision.events, answer: null };
}

function lock(ctx: DecisionContext, locked: boolean): Decision<Answer> | Refusal {
  const decision = changeKey(ctx.read(AUTHORITY), { keyId: PLAYER_KEY, enabled: !locked });
  return decision instanceof Refusal ? decision : { events: decision.events, answer: null };
}

function keysOf(ask: Ask): readonly string[] {
  if (ask.kind === 'transfer') return [ask.from, ask.to];
  if (ask.kind === 'look') return ask.keys;
  return 'key' in ask ? [ask.key] : [];
}

function goldOf(writes: DocumentWrites, key: string): number {
  return numberIn(writes.located(WALLETS, key).state?.document?.['gold']);
}

function numberIn(value: Json | undefined): number {
  return isNumber(value) ? toDouble(value) : 0;
}

function collectionOf(collection: CollectionModel | undefined): CollectionModel {
  if (!collection) throw refusal('NOT_FOUND');
  return collection;
}

/** Only the key's id is used: the decision reads what the key may do. */
function callerOf(keyId: string): Caller {
  const key = keyNamed(keyId, 'secret');
  return { projectId: PROJECT, key, isSecret: true, extraSecret: null, platformId: null, onBehalfOf: null, position: null, revision: null };
}
