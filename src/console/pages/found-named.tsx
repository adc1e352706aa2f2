import { Link } from '@tanstack/react-router';
import type { Meaning } from '../api/queries.ts';
import { usePageOf } from '../frame/page-of.ts';
import { PlayerLink } from './named.tsx';

/** What it is called, and the way to its page. */
export function NamedFacts({ meaning }: { readonly meaning: Meaning }) {
  const page = usePageOf()(meaning);
  const { id = '', called, part, collection, field, player, target } = meaning.named ?? {};
  const own = `${collection === undefined ? '' : `${collection}/`}${id}${part === undefined ? '' : ` › ${part}`}`;
  const name = `${own}${called === undefined ? '' : ` (${called})`}`;
  return (
    <>
      <dt>Its page</dt>
      <dd>
        {page === null ? name : <Link {...page}>{name}</Link>}
        {target === 'next' && ', which is staged and not live'}
      </dd>
      {field !== undefined && (
        <>
          <dt>Field</dt>
          <dd>{field}</dd>
        </>
      )}
      {player !== undefined && (
        <>
          <dt>Player</dt>
          <dd>
            <PlayerLink player={player} />
          </dd>
        </>
      )}
    </>
  );
}
