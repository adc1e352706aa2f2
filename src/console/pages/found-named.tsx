import { Link } from '@tanstack/react-router';
import type { Explained, Meaning } from '../api/queries.ts';
import { usePageOf } from '../frame/page-of.ts';
import { Chip } from '../parts/chip.tsx';
import { Card, CardBody } from '../parts/page.tsx';
import table from '../parts/table.module.css';
import { Table } from '../parts/table.tsx';
import { kindWord, namedOffer } from '../words/palette.ts';
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

interface NamesAlikeProps {
  readonly held: string;
  readonly alike: NonNullable<Explained['alike']>;
}

/** What has it in its name, with the way to each page. */
export function NamesAlike({ held, alike: { names, more = [] } }: NamesAlikeProps) {
  const pageOf = usePageOf();
  return (
    <Card title={`With “${held}” in the name`}>
      <Table name="What has it in its name" heads={['Name', 'Kind', 'Id, or what it is in', { name: 'State', isHidden: true }]}>
        {names.map((found) => {
          const page = pageOf(found);
          const { name, kind } = namedOffer(found);
          const { id, what, part, target } = found.named;
          return (
            <tr key={`${kind} ${id} ${part ?? ''}`}>
              <td>{page === null ? name : <Link {...page}>{name}</Link>}</td>
              <td className={table.tight}>{kind}</td>
              <td className={table.mono}>{part === undefined ? id : `${what === 'field' ? 'collection ' : ''}${id}`}</td>
              <td className={table.tight}>{target === 'next' && <Chip tone="next">staged</Chip>}</td>
            </tr>
          );
        })}
      </Table>
      {more.length > 0 && <CardBody>There are more of the kind {more.map(kindWord).join(', ')}. Type more of the name.</CardBody>}
    </Card>
  );
}
