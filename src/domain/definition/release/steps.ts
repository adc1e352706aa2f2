import { type Json, tryParseJson } from '../../../kernel/json.ts';
import type { DefinitionChange, ProjectEvent, PublishTarget } from '../../events.ts';
import { over } from '../model/overlay.ts';
import { isPublish, type PublishEvent } from './publish-difference.ts';

/** The past of one definition: which publishes changed it, and what it was around each. No data of these events can be redacted. */

export type DefinitionName = Pick<DefinitionChange, 'kind' | 'id'>;

/** The hashes of a definition's texts in both layers; `null`: there is none. */
export interface DefinitionForm {
  readonly live: string | null;
  readonly staged: string | null;
}

/** A publish, promotion or rollback that changed a definition in a target, and what it was there before and after. */
export interface DefinitionStep {
  readonly event: PublishEvent;
  readonly before: DefinitionForm;
  readonly after: DefinitionForm;
}

/**
 * Takes the publishes that name a definition, newest first (for `next` with all promotions), until the last `limit` that changed it in a
 * target are known with what it was before the first of them. Of live these are publishes, promotions and rollbacks; of `next` what was
 * staged, and the promotions that ended it.
 */
export class DefinitionSearch {
  readonly #name: DefinitionName;
  readonly #target: PublishTarget;
  readonly #limit: number;
  /** Newest first. */
  readonly #events: PublishEvent[] = [];
  #listed = 0;
  /** What is not known yet of the form before the last one that is listed. */
  readonly #unknown: Set<keyof DefinitionForm>;

  constructor(name: DefinitionName, target: PublishTarget, limit: number) {
    this.#name = name;
    this.#target = target;
    this.#limit = limit;
    this.#unknown = new Set(target === 'live' ? ['live'] : LAYERS);
  }

  /** Returns whether the search is complete. Other events are passed over: the index may name some. */
  take(event: ProjectEvent): boolean {
    if (!isPublish(event)) return false;
    this.#events.push(event);
    if (this.#listed < this.#limit) {
      if (this.#lists(event)) this.#listed += 1;
      return false;
    }
    const effect = effectOf(event, this.#name);
    for (const layer of LAYERS) if (effect[layer] !== undefined) this.#unknown.delete(layer);
    return this.#unknown.size === 0;
  }

  /** Newest first. */
  result(): readonly DefinitionStep[] {
    let form: DefinitionForm = { live: null, staged: null };
    const steps: DefinitionStep[] = [];
    for (const event of this.#events.toReversed()) {
      const before = form;
      const { live, staged } = effectOf(event, this.#name);
      const isStaged = this.#target === 'next' && staged !== undefined;
      form = { live: live === undefined ? form.live : live, staged: isStaged ? staged : form.staged };
      if (this.#lists(event)) steps.push({ event, before, after: form });
    }
    return steps.toReversed().slice(0, this.#limit);
  }

  #lists(event: PublishEvent): boolean {
    const change = changeOf(event, this.#name);
    return change !== undefined && (event.type === 'definitions.promoted' || (this.#target === 'next') === isStaging(event));
  }
}

const LAYERS = ['live', 'staged'] as const;

function changeOf({ data }: PublishEvent, { kind, id }: DefinitionName): DefinitionChange | undefined {
  return data.changes.findLast((change) => change.kind === kind && change.id === id);
}

function isStaging(event: PublishEvent): boolean {
  return event.type === 'definitions.published' && event.data.target === 'next';
}

/** What a publish makes of both layers; left out: it stays. */
function effectOf(event: PublishEvent, name: DefinitionName): Partial<DefinitionForm> {
  const change = changeOf(event, name);
  if (isStaging(event)) return change === undefined ? {} : { staged: change.hash };
  const ended = event.type === 'definitions.promoted' ? { staged: null } : {};
  return change === undefined ? ended : { ...ended, live: change.hash };
}

/** Takes events until all parts of one text are there. */
export class SourceSearch {
  readonly #hash: string;
  readonly #parts = new Map<number, string>();

  constructor(hash: string) {
    this.#hash = hash;
  }

  /** Returns whether the text is whole. */
  take(event: ProjectEvent): boolean {
    if (event.type !== 'source.stored' || event.data.hash !== this.#hash) return false;
    const { part, parts, text } = event.data;
    return this.#parts.set(part, text).size === parts;
  }

  get text(): string {
    return [...this.#parts]
      .sort(([one], [other]) => one - other)
      .map(([, text]) => text)
      .join('');
  }
}

/** What a target shows of a definition with these texts: what is staged lies over live. `null`: there is none. */
export function shownDefinition({ kind, id }: DefinitionName, live: string | null, staged: string | null): Json {
  const below = live === null ? null : (tryParseJson(live) ?? null);
  if (staged === null) return below;
  const above = tryParseJson(staged) ?? null;
  // A staged removal is the definition `null`.
  return above === null || live === null ? above : over(kind, id, below, above);
}
