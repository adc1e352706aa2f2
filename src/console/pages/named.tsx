import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Commit } from '../api/queries.ts';
import { useMay, useView } from '../frame/view.ts';
import { type CommitSaid, deedOf, ownerIn, whoOf } from '../words/commit.ts';
import { whySaid } from '../words/why.ts';
import { useCalled } from './called.tsx';

/** What a commit names, as links that lead to it. */

/** A player: by the name, where the answer says it, or by the id. */
export function PlayerLink({ player }: { readonly player: string }) {
  const { project } = useView();
  const name = useCalled(player);
  return (
    <Link to="/p/$project/players/$player" params={{ project, player }} title={name === undefined ? undefined : player}>
      {name ?? player}
    </Link>
  );
}

/** Leads to what it is: it may name a player, or what all share. */
export function HeldLink({ held }: { readonly held: string }) {
  const { project } = useView();
  return (
    <Link to="/p/$project/find/$held" params={{ project, held }}>
      {held}
    </Link>
  );
}

interface CommitLinkProps {
  readonly revision: number;
  /** Of a dialog, which closes. */
  readonly leave?: () => void;
}

/** A commit by its revision: it leads to all that is known of it. */
export function CommitLink({ revision, leave }: CommitLinkProps) {
  const { project } = useView();
  return (
    <Link to="/p/$project/find/$held" params={{ project, held: String(revision) }} title="What this commit was" onClick={leave}>
      {revision}
    </Link>
  );
}

/** A key by its label: it leads to the key among the others, with its last use, for whoever sees those. */
export function KeyLink({ keyId, label = keyId }: { readonly keyId: string; readonly label?: string | undefined }) {
  const { project } = useView();
  if (!useMay()('settings', 'r')) return label;
  return (
    <Link to="/p/$project/keys" params={{ project }} search={{ key: keyId }} title="This key among the keys, with its last use">
      {label}
    </Link>
  );
}

/** Leads to what a publish changed, and to what live after it is compared with. */
export function PublishLink({ revision }: { readonly revision: number }) {
  const { project } = useView();
  return (
    <Link to="/p/$project/publishes/$revision" params={{ project, revision: String(revision) }}>
      publish {revision}
    </Link>
  );
}

/** Who did it: leads to the player, to the key, or to all that the person did. */
export function WhoLink({ commit }: { readonly commit: Pick<CommitSaid, 'actor'> }) {
  const who = whoOf(commit);
  const { player, person, keyId } = commit.actor;
  if (player !== undefined && who === player) return <PlayerLink player={player} />;
  if (person !== undefined) return <DoneBy who={person}>{who}</DoneBy>;
  if (keyId === undefined) return who;
  return <KeyLink keyId={keyId} label={who} />;
}

interface DoneByProps {
  /** The id of a person or of a key. */
  readonly who: string;
  readonly children: ReactNode;
}

/** Leads to all that a person did in the project, or that was done with a key. */
export function DoneBy({ who, children }: DoneByProps) {
  const { project } = useView();
  return (
    <Link to="/p/$project" params={{ project }} search={{ who }} title="All of it that is in the history">
      {children}
    </Link>
  );
}

/** Of a shared document a ledger names its key, which is no player's. */
export function PlayerOr({ player, players }: { readonly player: string; readonly players: readonly string[] }) {
  return players.includes(player) ? <PlayerLink player={player} /> : player;
}

interface DocumentLinkProps {
  readonly document: Commit['documents'][number];
  readonly commit: Commit;
}

/** Leads to what the commit changed in it: before beside after. */
export function DocumentLink({ document: { space, collection, key }, commit: { first, revision, players } }: DocumentLinkProps) {
  const { project } = useView();
  const player = ownerIn(players, key);
  const compared = first === 0 ? {} : { a: String(first - 1), b: String(revision) };
  const search = { ...compared, at: undefined, target: space === 'live' ? undefined : ('next' as const) };
  const name = `${collection}/${key}`;
  const title = 'What it changed: before beside after';
  if (player === undefined)
    return (
      <Link to="/p/$project/collections/$collection/$key" params={{ project, collection, key }} search={search} title={title}>
        {name}
      </Link>
    );
  return (
    <Link
      to="/p/$project/players/$player/documents/$collection/$key"
      params={{ project, player, collection, key }}
      search={search}
      title={title}
    >
      {name}
    </Link>
  );
}

interface WhySaidProps {
  readonly why: { readonly reason?: string | undefined; readonly ticket?: string | undefined };
}

/** Why somebody did something; the ticket leads to all that was done for it. */
export function WhySaid({ why: { reason, ticket } }: WhySaidProps) {
  const { project } = useView();
  const mayRead = useMay()('history', 'r');
  if (ticket === undefined || !mayRead) return whySaid({ reason, ticket });
  const said = whySaid({ reason });
  return (
    <>
      {said !== '' && `${said} · `}
      <Link to="/p/$project" params={{ project }} search={{ ticket }} title="All that was done for this ticket">
        {ticket}
      </Link>
    </>
  );
}

/** What a commit did, as words; the commit that it undid, or the document in it, leads to what that was, or what it changed there. */
export function Deed({ commit }: { readonly commit: Commit }) {
  const [document] = commit.documents;
  const deed = deedOf(commit);
  const undid = commit.why?.undone;
  if (undid !== undefined && deed.endsWith(` ${undid}`))
    return (
      <>
        {deed.slice(0, -String(undid).length)}
        <CommitLink revision={undid} />
      </>
    );
  const name = document === undefined ? '' : `${document.collection}/${document.key}`;
  const place = document === undefined ? -1 : deed.indexOf(name);
  if (document === undefined || place < 0) return deed;
  return (
    <>
      {deed.slice(0, place)}
      <DocumentLink document={document} commit={commit} />
      {deed.slice(place + name.length)}
    </>
  );
}
