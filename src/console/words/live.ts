import { type ActorSaid, whoActed } from './approval.ts';

/** What came since a page was read, in plain words. */

/** A document that a page shows. */
interface ShownDocument {
  readonly collection: string;
  readonly key: string;
  readonly version: number;
  readonly deleted?: boolean | undefined;
}

export function topicOf({ collection, key }: Pick<ShownDocument, 'collection' | 'key'>): string {
  return `documents/${collection}/${key}`;
}

/**
 * Documents that changed, were made anew or deleted since they were shown; `null`: none. `now`: versions by topic, 0 where there is none.
 */
export function movedText(shown: readonly ShownDocument[], now: ReadonlyMap<string, number>): string | null {
  const moved = shown.filter((document) => {
    const version = now.get(topicOf(document));
    return version !== undefined && (version > document.version || (version === 0 && document.deleted !== true));
  });
  const [first] = moved;
  if (first === undefined) return null;
  const others = moved.length === 1 ? '' : moved.length === 2 ? ' and another document' : ` and ${moved.length - 1} other documents`;
  return `${first.collection}${others} changed since this was read.`;
}

interface PublishTold {
  readonly revision: number;
  readonly target: string;
  readonly actor: ActorSaid;
}

/** The newest publish in a value of the topic `publishes`. */
export function newestPublish(value: unknown): PublishTold | null {
  const { publishes } = (value ?? {}) as { readonly publishes?: readonly PublishTold[] };
  const newest = publishes?.[0];
  return typeof newest?.revision === 'number' ? newest : null;
}

/** Who published since a page was read. `person`: who reads it. */
export function publishedText({ target, actor }: PublishTold, person: string): string {
  const isOwn = actor.kind === 'person' && actor.person === person;
  const did = target === 'next' ? 'changed what is staged' : 'changed what is live';
  return isOwn ? `You ${did} elsewhere since this was read.` : `${whoActed(actor)} ${did} since this was read.`;
}
