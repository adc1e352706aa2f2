import { tryParseJson } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { writtenSchema } from '../definition/model/models.ts';
import { compileSchema } from '../document/schema.ts';
import type { ProjectEvent } from '../events.ts';
import type { PersonalPath } from '../model.ts';

/** A path that a schema of a collection marked as personal once. */
export interface Mark {
  /** Id of the collection. */
  readonly collection: string;
  readonly path: PersonalPath;
}

/** Gathers what schemas marked, from the events of the definitions, newest first. Of texts it keeps parts alone, until they are whole. */
export class MarkSearch {
  readonly #marks = new Map<string, Mark>();
  /** Collections by the hash of a text that is not known yet. */
  readonly #wanted = new Map<string, Set<string>>();
  readonly #parts = new Map<string, Map<number, string>>();
  /** Paths by the hash of a text that was read. */
  readonly #read = new Map<string, readonly PersonalPath[]>();

  take(event: ProjectEvent): void {
    if (event.type === 'source.stored') this.#store(event.data);
    if (event.type !== 'definitions.published' && event.type !== 'definitions.promoted' && event.type !== 'definitions.rolledBack') return;
    for (const { kind, id, hash } of event.data.changes) if (kind === 'collection' && hash !== null) this.#want(id, hash);
  }

  get marks(): readonly Mark[] {
    return [...this.#marks.values()];
  }

  /** Hashes of texts that were not among the events. */
  get missing(): readonly string[] {
    return [...this.#wanted.keys()];
  }

  /** Takes the text of a definition that was stored elsewhere. */
  know(hash: string, text: string): void {
    const paths = compileSchema(writtenSchema(objectOf(tryParseJson(text) ?? null))).personal;
    this.#read.set(hash, paths);
    for (const collection of this.#wanted.get(hash) ?? []) this.#mark(collection, paths);
    this.#wanted.delete(hash);
    this.#parts.delete(hash);
  }

  #want(collection: string, hash: string): void {
    const paths = this.#read.get(hash);
    if (paths !== undefined) this.#mark(collection, paths);
    else this.#wanted.set(hash, (this.#wanted.get(hash) ?? new Set()).add(collection));
  }

  #store({ hash, part, parts, text }: Extract<ProjectEvent, { readonly type: 'source.stored' }>['data']): void {
    if (!this.#wanted.has(hash)) return;
    const known = this.#parts.get(hash) ?? new Map<number, string>();
    this.#parts.set(hash, known.set(part, text));
    if (known.size === parts)
      this.know(
        hash,
        [...known]
          .sort(([one], [other]) => one - other)
          .map(([, each]) => each)
          .join(''),
      );
  }

  #mark(collection: string, paths: readonly PersonalPath[]): void {
    for (const path of paths) this.#marks.set(JSON.stringify([collection, path]), { collection, path });
  }
}
