import type { Item } from '../../../contract/resources/definition.ts';
import type { ExportedRecord, ExportRow } from '../../../contract/resources/project-export.ts';
import { type Put, putOf } from '../../../domain/definition/push/publish-events.ts';
import { contentProblem, storedTextProblem } from '../../../domain/definition/source/check.ts';
import { DOCUMENT_KEY } from '../../../domain/document/key.ts';
import { type DefinitionKind, type SaveRecord, SINGLE_ID } from '../../../domain/events.ts';
import { isDefinitionId, isListed, type ListedKind, SECTIONS, STAGED_KINDS } from '../../../domain/kinds.ts';
import type { AdoptKey } from '../../../domain/project/decide.ts';
import { readPermissions } from '../../../domain/project/permissions.ts';
import {
  isArray,
  isNumber,
  isObject,
  type Json,
  JsonError,
  type JsonObject,
  nonEmptyString,
  parseJson,
  toDouble,
} from '../../../kernel/json.ts';
import { listOf, objectOf } from '../../../kernel/json-read.ts';

/** Rows of a JSON project export, as an import takes them. A row that cannot be used throws {@link BadRow}: files come from anywhere. */

class BadRow extends Error {
  override readonly name = 'BadRow';
}

export const LISTED_TABLES: Readonly<Record<string, ListedKind>> = Object.fromEntries(
  STAGED_KINDS.filter(isListed).map((kind) => [SECTIONS[kind], kind]),
);

export const SINGLE_TABLES: Readonly<Record<string, DefinitionKind>> = {
  game_values: 'game-values',
  rate_limit_rules: 'rate-limit-rules',
  tests: 'tests',
};

/** A definition row that has been understood. */
export interface DefinitionRow {
  readonly table: string;
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly value: Json;
  /** Unix ms. */
  readonly updatedAt: number | null;
}

export interface DocumentRow {
  readonly key: string;
  readonly document: JsonObject;
}

export interface SlotRow {
  readonly player: string;
  readonly records: readonly Pick<SaveRecord, 'recordId' | 'recordName'>[];
}

/** `table` is one of those that hold definitions. Throws {@link BadRow}. */
export function definitionRow(table: string, row: Json): DefinitionRow {
  const kind = LISTED_TABLES[table];
  const single = SINGLE_TABLES[table];
  const members: ExportRow = objectOf(row);
  const value = payload(row);
  const updatedAt = isNumber(members.updated_at_unix_ms) ? toDouble(members.updated_at_unix_ms) : null;
  if (kind === undefined) {
    if (single === undefined || (!isArray(value) && !isObject(value))) throw new BadRow('it holds no definition_json');
    return { table, kind: single, id: SINGLE_ID, value, updatedAt };
  }
  if (!isObject(value)) throw new BadRow('its definition_json is no object');
  const { id: own }: Item = value;
  const id = nonEmptyString(members[`${kind}_id`]) ?? nonEmptyString(own);
  if (id === null || !isDefinitionId(kind, id)) throw new BadRow(`its ${kind}_id is missing, or none that a definition can have`);
  return { table, kind, id, value, updatedAt };
}

/** The row as a publish takes it. */
export function putOfRow({ kind, id, value }: DefinitionRow): Put {
  const put = putOf(kind, id, value);
  const problem = contentProblem(value) ?? storedTextProblem(put.text);
  if (problem !== null) throw new BadRow(problem.message);
  return put;
}

/** Reads `record_key` of player collections and `record_id` of global ones. */
export function documentRow(row: Json): DocumentRow {
  const { record_key: recordKey, record_id: recordId }: ExportRow = objectOf(row);
  const key = nonEmptyString(recordKey) ?? nonEmptyString(recordId);
  if (key === null || !DOCUMENT_KEY.test(key)) throw new BadRow('its record_key or record_id is missing, or none that a document can have');
  const document = payload(row);
  if (!isObject(document)) throw new BadRow(`the document ${key} is no object`);
  return { key, document };
}

/** A player's list of save records. Throws {@link BadRow}. */
export function slotRow(row: Json): SlotRow {
  const { platform_id: platformId, records }: ExportRow = objectOf(row);
  const player = nonEmptyString(platformId);
  if (player === null || !DOCUMENT_KEY.test(player)) throw new BadRow('its platform_id is missing, or none that a player can have');
  const slots = listOf(records).map((record) => {
    const saved: ExportedRecord = objectOf(record);
    const [recordId, recordName] = [nonEmptyString(saved.recordId), nonEmptyString(saved.recordName)];
    if (recordId === null || !DOCUMENT_KEY.test(recordId)) throw new BadRow(`a save record of ${player} has no recordId`);
    return { recordId, recordName: recordName ?? 'Save' };
  });
  return { player, records: slots };
}

const HASH = /^[0-9a-f]{64}$/;

/** A public key by its value, a secret key by its hash: no file holds the secret itself. */
export function keyRow(row: Json): AdoptKey {
  const members: ExportRow = objectOf(row);
  const { type: kind } = members;
  const [display, label] = [nonEmptyString(members.api_key), nonEmptyString(members.label) ?? 'Imported'];
  if (display === null || display.length > 200 || (kind !== 'public' && kind !== 'secret')) throw new BadRow('it has no api_key and type');
  const hash = nonEmptyString(members.hash);
  if (kind === 'secret' && (hash === null || !HASH.test(hash))) throw new BadRow('a secret key comes with its hash, 64 hexadecimal digits');
  const permissions = readPermissions(members.permissions ?? null);
  if (permissions === undefined) throw new BadRow('its permissions cannot be read');
  const enabled = members.enabled !== false;
  return { kind, label: label.slice(0, 64), display, hash: kind === 'secret' ? hash : null, permissions, enabled };
}

/** The JSON under `definition_json`, which may be a text that holds it. */
function payload(row: Json): Json {
  if (!isObject(row)) throw new BadRow('it is no object');
  const { definition_json: value }: ExportRow = row;
  if (value === undefined) throw new BadRow('it has no definition_json');
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof JsonError) throw new BadRow('its definition_json cannot be read');
    throw error;
  }
}

/** The name in a definition or in the row of a project; `null` if it is missing or empty. */
export function nameIn(value: Json | undefined): string | null {
  const { name }: Item = objectOf(value);
  return nonEmptyString(name);
}
