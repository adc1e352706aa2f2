import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, Fragment, type ReactNode, useState } from 'react';
import { lastCallsQuery } from '../api/calls.ts';
import { calledQuery, collectionsQuery, playersQuery } from '../api/queries.ts';
import { useMay, useMayReadCalls, useView } from '../frame/view.ts';
import { Button } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { Field } from '../parts/field.tsx';
import { Failed } from '../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../parts/page.tsx';
import table from '../parts/table.module.css';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { candidatesOf } from '../words/candidates.ts';
import { uniqueTexts } from '../words/document.ts';
import styles from './players.module.css';

const route = getRouteApi('/signed-in/p/$project/players');

/** Finds players: by their name here, by any id in the box above. */
export function PlayersPage() {
  const { name } = route.useSearch();
  const navigate = route.useNavigate();
  const { project } = useView();
  const mayFind = useMay()('players', 'r');
  const [typed, setTyped] = useState(name ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: (before) => ({ ...before, name: typed.trim() || undefined }) });
  };
  return (
    <Page name="Players" title="Players" sub="By name here. By id, session, request or the value of a unique field in the box above.">
      <Card title="Find a player">
        {mayFind && (
          <form className={styles.search} onSubmit={submit}>
            <Field label="How the name begins" value={typed} maxLength={128} onChange={({ target }) => setTyped(target.value)} />
            <Button type="submit" look="main">
              Find
            </Button>
          </form>
        )}
        {name === undefined && mayFind ? (
          <CardBody>A player whose game reports no name is found by id, in the box above, or among those who played last.</CardBody>
        ) : (
          <PlayersFound
            name={name ?? ''}
            empty={
              <Empty title={`No player’s name begins with “${name}”`}>
                Letter case does not matter.{' '}
                <Link to="/p/$project/find/$held" params={{ project, held: name ?? '' }}>
                  Look for it as an id
                </Link>
                . <HowFound name={name ?? ''} />
              </Empty>
            }
          />
        )}
      </Card>
      {name === undefined && <PlayedLast />}
    </Page>
  );
}

/** Players who are listed. */
const LISTED = 20;

/** Who called something last: whoever knows neither name nor id finds a player here. */
function PlayedLast() {
  const view = useView();
  const mayDo = useMay();
  const mayRead = useMayReadCalls() && view.at === undefined;
  const calls = useQuery({ ...lastCallsQuery(view), enabled: mayRead });
  const players = candidatesOf({}, calls.data ?? [], '').slice(0, LISTED);
  const ids = players.map(({ id }) => id);
  const called = useQuery({ ...calledQuery(view, ids), enabled: mayDo('players', 'r') && ids.length > 0 }).data;
  if (!mayRead) return null;
  return (
    <Card title="Played last">
      {calls.isPending && <Waiting what="the last calls" />}
      {calls.isError && <Failed error={calls.error} again={() => void calls.refetch()} />}
      {calls.isSuccess && players.length === 0 && (
        <Empty title="Nobody called anything lately">Who calls an endpoint is listed here, for some days.</Empty>
      )}
      {players.length > 0 && (
        <Table name="Played last" heads={['Player', 'Id', 'Last call']} folds>
          {players.map(({ id, seen }) => (
            <tr key={id}>
              <td>
                <Link to="/p/$project/players/$player" params={{ project: view.project, player: id }}>
                  {called?.get(id) ?? 'no name'}
                </Link>
              </td>
              <td className={table.mono} data-head="Id">
                {id}
              </td>
              <td className={table.tight} data-head="Last call">
                {seen.slug ?? 'a request'}, <Ago at={seen.at} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

export function PlayersFound({ name, empty }: { readonly name: string; readonly empty: ReactNode }) {
  const view = useView();
  const mayFind = useMay()('players', 'r');
  const found = useQuery({ ...playersQuery(view, name), enabled: mayFind });
  if (!mayFind)
    return (
      <Empty title="Your role does not find players by name">
        Support, auditors, managers and owners do. An owner can give you such a role.
      </Empty>
    );
  if (found.isPending) return <Waiting what="players" />;
  if (found.isError) return <Failed error={found.error} again={() => void found.refetch()} />;
  const { players, more } = found.data;
  if (players.length === 0) return empty;
  return (
    <>
      <Table name="Players" heads={['Name', 'Id', 'Seen']} folds>
        {players.map((player) => (
          <tr key={player.platformId}>
            <td>
              <Link to="/p/$project/players/$player" params={{ project: view.project, player: player.platformId }}>
                {player.name}
              </Link>
            </td>
            <td className={table.mono} data-head="Id">
              {player.platformId}
            </td>
            <td className={table.tight} data-head="Seen">
              {player.online ? <Chip tone="live">online</Chip> : <Ago at={player.lastSeen} />}
            </td>
          </tr>
        ))}
      </Table>
      {more && <CardBody>There are more. Type more of the name.</CardBody>}
    </>
  );
}

/** Fields that are offered. */
const OFFERED = 4;

/** Why somebody who has a name is not found by it, and how the name becomes one that is. */
export function HowFound({ name }: { readonly name: string }) {
  const view = useView();
  const mayRead = useMay()('collections', 'r');
  const collections = useQuery({ ...collectionsQuery(view), enabled: mayRead });
  const fields = (collections.data ?? [])
    .filter(({ collectionType }) => collectionType !== 'global')
    .flatMap(({ id, schema }) => uniqueTexts(schema).map((path) => ({ collection: id, path })))
    .slice(0, OFFERED);
  return (
    <>
      Ask the player for the id, which the box above takes
      {fields.length === 0
        ? '.'
        : fields.map(({ collection, path }, place) => (
            <Fragment key={`${collection}.${path}`}>
              {place === 0 ? ', or look for the whole name in ' : ', '}
              <Link to="/p/$project/collections/$collection" params={{ project: view.project, collection }} search={{ by: path, is: name }}>
                {collection}.{path}
              </Link>
            </Fragment>
          ))}
      <details>
        <summary>How a name is found: for developers</summary>
        Found are the names that the game reports, as <code>playerName</code> in heartbeats and events (and in calls, where the project
        records those). A name that stands in a document is found by its field, whole, once the schema marks that with{' '}
        <code>_unique: true</code>.
      </details>
    </>
  );
}
