import type { Projection } from '../../batch.ts';
import { begin, filling, follows, listedCollections, lockLists, putAway } from './fill.ts';
import { carry } from './rows.ts';

/** Lists the documents of collections that are global by the live or the next definitions. */
export const records: Projection = {
  name: 'records',
  kind: 'view',
  derived: true,
  filling,
  async project({ documents, catalog: { before, after }, wiped, atOnce }, tx) {
    const isSame = before === after && !wiped;
    if (isSame && after.globals.size === 0) return;
    const lists = await lockLists(tx);
    // The lists that the tables hold. A view that catches up by itself does not know the definitions before the batch, so it reads them.
    const known = isSame ? after.globals : await listedCollections(tx);
    const follow = documents.filter((document) => {
      const { collection } = document;
      return after.globals.has(collection) && known.has(collection) && follows(lists.get(collection), document);
    });
    await carry(tx, follow);
    if (isSame) return;
    for (const collection of known) if (!after.globals.has(collection)) await putAway(tx, collection, atOnce);
    for (const collection of after.globals) if (!known.has(collection)) await begin(tx, collection, atOnce);
  },
};
