import type { access, collection, dailySaves } from '../../../contract/resources/collection.ts';
import { consoleButton, type endpoint } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import type { NormalSource, query } from '../../../contract/resources/query.ts';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { firstText, flagOf, listOf, numberOf, objectOf, stringOf } from '../../../kernel/json-read.ts';
import { isInternal } from '../../../language/exposure.ts';
import { normalise } from '../../../language/normal/logic.ts';
import { normaliseQuery } from '../../../language/normal/query.ts';
import { compileSchema } from '../../document/schema.ts';
import { callLimit } from '../../limit/calls.ts';
import type {
  AccessModel,
  ButtonModel,
  CollectionModel,
  EndpointModel,
  LibraryModel,
  OpenTo,
  QueryModel,
  WorkflowModel,
} from '../../model.ts';
import { acceptValue } from '../../wire-names.ts';
import type { Entry } from './overlay.ts';

/** Makes the model of a definition. Every stored definition has one: invalid members count as missing. */

/** Daily limit when the definition sets one without a number. */
const DEFAULT_SAVES_PER_DAY = 8640;
/** Most records per player: the list of them is one state. Definitions should set 50 at most. */
const MAX_RECORDS = 1000;
const MAX_SAVES_PER_DAY = 10_000_000;

const collections = new WeakMap<Entry, CollectionModel>();

/** Cached by entry: compiling the schema is the expensive part of a publish. */
export function collectionModel(entry: Entry): CollectionModel {
  const known = collections.get(entry);
  if (known !== undefined) return known;
  const model = makeCollection(entry);
  collections.set(entry, model);
  return model;
}

function makeCollection(entry: Entry): CollectionModel {
  const definition: Written<typeof collection> = objectOf(entry.value);
  return {
    id: entry.id,
    name: firstText(definition, 'name') ?? entry.id,
    ...opennessOf(definition),
    requireSaveVersion: flagOf(definition.requireSaveVersion) ?? false,
    maxRecords: Math.min(Math.max(1, Math.floor(numberOf(definition.maxRecords) ?? 1)), MAX_RECORDS),
    dailyLimit: dailyLimit(objectOf(definition.rateLimits)),
    schema: compileSchema(writtenSchema(definition)),
    hash: entry.hash,
    definition,
  };
}

/** Whom a collection lets in, and to what. */
export function opennessOf(
  definition: Written<typeof collection>,
): Pick<CollectionModel, 'type' | 'access' | 'publicAppend' | 'allowRecordDelete' | 'ownHistory'> {
  return {
    type: typeOfCollection(definition),
    access: accessOf(definition),
    publicAppend: flagOf(definition.publicAppend) ?? false,
    allowRecordDelete: flagOf(definition.allowRecordDelete) ?? false,
    ownHistory: stringOf(definition.history)?.trim().toLowerCase() === 'owner',
  };
}

/** Open to secret keys and endpoints alone. */
export const CLOSED: AccessModel = { read: 'endpoints', write: 'endpoints', records: 'endpoints' };

/** A member that `access` does not have follows `accessMode`. An unknown value in it means that games have no access. */
function accessOf(definition: Written<typeof collection>): AccessModel {
  const mode = stringOf(definition.accessMode)?.toLowerCase() === 'public' ? 'public' : 'endpoints';
  const stated = definition.access ?? null;
  if (stated === null) return { read: mode, write: mode, records: 'public' };
  const named = (value: Json | undefined): OpenTo => {
    return value === undefined ? mode : value === 'public' || value === 'owner' ? value : 'endpoints';
  };
  const { read, write }: Written<typeof access> = objectOf(stated);
  return isObject(stated) ? { read: named(read), write: named(write), records: named(read) } : CLOSED;
}

/** The schema as written, under either of its names. */
export function writtenSchema({ schema, fields }: Written<typeof collection>): Json | undefined {
  return schema ?? fields;
}

export function typeOfCollection(definition: Written<typeof collection>): CollectionModel['type'] {
  const type = stringOf(definition.collectionType) ?? '';
  return acceptValue('collectionType', type) === 'global' ? 'global' : 'per-platformid';
}

export function dailyLimit(rateLimits: Written<typeof dailySaves>): CollectionModel['dailyLimit'] {
  const per = stringOf(rateLimits.mode)?.toLowerCase();
  if (per !== 'player' && per !== 'collection') return null;
  const requested = Math.floor(numberOf(rateLimits.savesPerDay) ?? 0);
  return { per, count: requested < 1 ? DEFAULT_SAVES_PER_DAY : Math.min(requested, MAX_SAVES_PER_DAY) };
}

/** Missing members mean: enabled, POST, public. */
export function endpointModel(entry: Entry): EndpointModel {
  const definition: Written<typeof endpoint> = objectOf(entry.value);
  return {
    id: entry.id,
    slug: firstText(definition, 'slug') ?? entry.id,
    enabled: flagOf(definition.enabled) ?? true,
    deprecated: isDeprecated(objectOf(entry.value)),
    internal: isInternal(definition),
    requiresSecretKey: flagOf(definition.requiresSecretKey) ?? false,
    method: stringOf(definition.method)?.toUpperCase() === 'GET' ? 'GET' : 'POST',
    recordsInput: stringOf(definition.record)?.trim().toLowerCase() === 'input',
    button: buttonOf(definition.console),
    callLimit: callLimit(normalise(definition).definition.rateLimits),
    hash: entry.hash,
    definition,
  };
}

/** The button that is shown; `null`: none is, as for one that does not fit. */
export function buttonOf(written: Json | undefined): ButtonModel | null {
  const button = consoleButton.safeParse(written).data;
  if (button === undefined) return null;
  const { page, label, confirm } = button;
  return { page, label: label.trim(), confirm: confirm?.trim() ?? null };
}

/** Accepts common misspellings too. */
function isDeprecated({ deprecated, _deprecated, depreciated, depricated }: JsonObject): boolean {
  return [deprecated, _deprecated, depreciated, depricated].some((flag) => flagOf(flag) === true);
}

export function libraryModel(entry: Entry): LibraryModel {
  return { id: entry.id, hash: entry.hash, definition: objectOf(entry.value) };
}

export function workflowModel(entry: Entry): WorkflowModel {
  return { id: entry.id, hash: entry.hash, definition: objectOf(entry.value) };
}

/** `collectionName`: name of a collection by id, for sources without an alias. */
export function queryModel(entry: Entry, collectionName: (id: string) => string | undefined): QueryModel {
  const definition: Written<typeof query> = objectOf(entry.value);
  const normal = normaliseQuery(definition).definition;
  const sources = listOf(normal.sources).flatMap((raw) => {
    const { join, ...one }: NormalSource = objectOf(raw);
    const collectionId = stringOf(one.collectionId);
    if (collectionId === undefined) return [];
    const alias = stringOf(one.alias) ?? collectionName(collectionId) ?? collectionId;
    return [{ collectionId, alias, ...(isObject(join) ? { join } : {}) }];
  });
  return {
    id: entry.id,
    name: firstText(definition, 'name') ?? entry.id,
    type: stringOf(definition.type)?.toLowerCase() ?? 'leaderboard',
    requiresSecretKey: flagOf(definition.requiresSecretKey) ?? false,
    sources,
    config: objectOf(normal.config),
    hash: entry.hash,
    definition,
  };
}
