/** Reads that one request has under way at a time: of the past, more would be refused. */
const AT_ONCE = 16;

/** What `read` makes of each item, in their order, with a bounded number of reads under way. */
export async function inTurns<Item, Result>(items: readonly Item[], read: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < items.length; first += AT_ONCE)
    results.push(...(await Promise.all(items.slice(first, first + AT_ONCE).map(read))));
  return results;
}
