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

/** The revision of the newest publish in a value of the topic `publishes`. */
export function newestPublish(value: unknown): number | null {
  const { publishes } = (value ?? {}) as { readonly publishes?: readonly { readonly revision?: unknown }[] };
  const revision = publishes?.[0]?.revision;
  return typeof revision === 'number' ? revision : null;
}
