import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { ancestorsOf, getPath, member, splitPath } from '../../kernel/path.ts';
import type { Change } from '../events.ts';

type Mutable = Record<string, Json>;

/** A path leads through an array or a scalar, which writing must not destroy. */
export class PathBlocked extends Error {
  override readonly name = 'PathBlocked';
}

/** A document being changed. Objects on a changed path are copied once; everything else is shared with the original. */
export class Draft {
  readonly document: JsonObject;
  /** Copies that this draft made, and may change. */
  readonly #own = new Map<JsonObject, Mutable>();

  constructor(document: JsonObject) {
    this.document = this.#copy(document);
  }

  /** Throws {@link PathBlocked} where {@link set} would. */
  get(path: string): Json | undefined {
    let here: Json | undefined = this.document;
    for (const name of splitPath(path)) {
      if (here === undefined || here === null) return undefined;
      if (!isObject(here)) throw new PathBlocked('the path leads through a value that is no object');
      here = member(here, name);
    }
    return here;
  }

  /** Missing and null parents become objects. Throws {@link PathBlocked}; with `replace` anything in the way becomes an object. */
  set(path: string, value: Json, replace = false): void {
    const parts = splitPath(path);
    let here = this.#copy(this.document);
    for (const name of parts.slice(0, -1)) {
      const next: Json = member(here, name) ?? {};
      if (!replace && !isObject(next)) throw new PathBlocked('the path leads through a value that is no object');
      const copy = this.#copy(isObject(next) ? next : {});
      here[name] = copy;
      here = copy;
    }
    here[parts.at(-1) ?? ''] = value;
  }

  #copy(object: JsonObject): Mutable {
    const known = this.#own.get(object);
    if (known !== undefined) return known;
    const copy: Mutable = { ...object };
    this.#own.set(copy, copy);
    return copy;
  }
}

/**
 * The final value of every touched path. A path below another touched path is part of that one's value. Changes come in the order in which
 * paths were first touched, so new members keep the order in which they were made.
 */
export function changesOf(document: JsonObject, touched: ReadonlySet<string>): Change[] {
  const paths = new Set<string>();
  // A merge touches many members of one object, so the touched ancestor of each parent is looked up once.
  const outerOf = new Map<string, string | null>();
  for (const path of touched) {
    const parent = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
    const known = outerOf.get(parent);
    const outer = known === undefined ? outermost(parent, touched) : known;
    outerOf.set(parent, outer);
    paths.add(outer ?? path);
  }
  return [...paths].map((path) => [path, getPath(document, path) ?? null]);
}

/** Replays changes. It never fails: what is in the way of a path is replaced, because the log is right. */
export function applyChanges(document: JsonObject, changes: readonly Change[]): JsonObject {
  if (changes.length === 0) return document;
  const draft = new Draft(document);
  for (const [path, value] of changes) draft.set(path, value, true);
  return draft.document;
}

/** The outermost touched path that is this one or an ancestor of it. */
function outermost(path: string, touched: ReadonlySet<string>): string | null {
  let found = touched.has(path) ? path : null;
  for (const ancestor of ancestorsOf(path)) if (touched.has(ancestor)) found = ancestor;
  return found;
}
