import { uniqueValues } from '../../domain/document/unique.ts';
import type { Space } from '../../domain/events.ts';
import type { CollectionModel, SchemaModel } from '../../domain/model.ts';
import { withValueAt } from '../../domain/query/evaluate.ts';
import { uniqueSubject } from '../../domain/subjects.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Project } from '../project/project.ts';

/** The document that has a value of a unique field, found by the value. */

export interface Claim {
  /** Of the document that claims the value. */
  readonly key: string;
  /** Whether the document, as it reads, has the value: a claim that was left behind counts for nothing. */
  isHeldBy(read: JsonObject): boolean;
}

interface Claimed {
  readonly project: Project;
  readonly space: Space;
  readonly collection: CollectionModel;
}

/** Hashes of what a text may be as a value: of an address, a number comes as text. */
export function hashesOf(schema: SchemaModel, field: string, text: string): readonly string[] {
  const number = Number(text);
  const values: readonly Json[] = text.trim() !== '' && Number.isFinite(number) ? [text, number] : [text];
  return values.flatMap((value) => hashIn(schema, field, withValueAt({}, field.split('.'), value)) ?? []);
}

/** Who claims a value of a unique field. */
export async function claimsOf({ project, space, collection }: Claimed, field: string, text: string): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for (const hash of hashesOf(collection.schema, field, text)) {
    const key = await holderOf(project, space, collection.id, hash);
    if (key !== null) claims.push({ key, isHeldBy: (read) => hashIn(collection.schema, field, read) === hash });
  }
  return claims;
}

function hashIn(schema: SchemaModel, field: string, read: JsonObject): string | undefined {
  return uniqueValues(schema, read).find((value) => value.field === field)?.hash;
}

/** A `next` space sees live's claim, unless it has its own. */
async function holderOf(project: Project, space: Space, collection: string, hash: string): Promise<string | null> {
  const { state } = await project.read(uniqueSubject(space, collection, hash));
  if (state !== null || space === 'live') return state?.holder ?? null;
  return (await project.read(uniqueSubject('live', collection, hash))).state?.holder ?? null;
}
