import { EMPTY_DEFINITIONS, evolveDefinitions } from '../../../src/domain/definition/model/evolve.ts';
import { decidePutSingle, decideUpsertMany } from '../../../src/domain/definition/push/decide-kind.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { SCHEMA_VERSIONS } from '../../../src/domain/events.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { encodeEvent } from '../../../src/kernel/json.ts';
import { NO_HASH, seal } from '../../../src/log/chain.ts';
import type { NewEvent } from '../../../src/log/port.ts';
import { FEED, PLAYER_KEY, rules, STAFF_KEY, WALLETS } from './commands.ts';
import { EPOCH, PROJECT, type World } from './world.ts';

export const FIRST_LIMIT = 40;

const COLLECTIONS = [
  {
    id: WALLETS,
    name: WALLETS,
    collectionType: 'per-platformid',
    schema: { gold: { type: 'number', _ledger: true }, mark: { type: 'number' } },
  },
  { id: FEED, name: FEED, collectionType: 'global', schema: { mark: { type: 'number' } } },
];

/** A project with two keys, two collections and one rule, made by real decisions. Answers its last revision. */
export async function setUp(world: World): Promise<number> {
  const result = await world.store('none', SETUP);
  if (!result.ok) throw new Error('the log was not empty');
  return result.revision;
}

const SETUP = sealedSetup();

function sealedSetup(): readonly NewEvent[] {
  const collections = decideUpsertMany(EMPTY_DEFINITIONS, 'collection', COLLECTIONS, { target: 'live', replaceAll: false });
  if (collections instanceof Refusal) throw collections;
  const metadata = { commandId: 'setup', cause: 'setup', actor: { kind: 'operator' as const }, schemaVersion: 1, recordedAt: EPOCH - 1000 };
  const definitions = collections.events.reduce(
    (state, event) => evolveDefinitions(state, { ...event, revision: 0, id: '', metadata, hash: '' }),
    EMPTY_DEFINITIONS,
  );
  const limits = decidePutSingle(definitions, 'rate-limit-rules', rules(FIRST_LIMIT), 'live', 0);
  if (limits instanceof Refusal) throw limits;
  const issued = [PLAYER_KEY, STAFF_KEY].map((keyId): DomainEvent => {
    return { type: 'key.issued', data: { keyId, kind: 'secret', label: keyId, hash: keyId, display: keyId, permissions: null } };
  });
  const created: DomainEvent = { type: 'project.created', data: { projectId: PROJECT, name: PROJECT } };
  let hash = NO_HASH;
  return [created, ...issued, ...collections.events, ...limits.events].map((event, index) => {
    const text = JSON.stringify({ ...metadata, schemaVersion: SCHEMA_VERSIONS[event.type] });
    const id = `00000000-0000-5000-8000-${String(index).padStart(12, '0')}`;
    const sealed = seal(hash, { id, type: event.type, metadata: text, data: encodeEvent(event.data) });
    hash = sealed.hash;
    return sealed.event;
  });
}
