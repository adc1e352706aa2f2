import { Link } from '@tanstack/react-router';
import { useMay, useView } from '../frame/view.ts';
import { type CommitSaid, whoOf } from '../words/commit.ts';

/** What a commit names, as links that lead to it. */

export function PlayerLink({ player }: { readonly player: string }) {
  const { project } = useView();
  return (
    <Link to="/p/$project/players/$player" params={{ project, player }}>
      {player}
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

/** Who did it, who can be looked at: a player or a key. */
export function WhoLink({ commit }: { readonly commit: Pick<CommitSaid, 'actor'> }) {
  const who = whoOf(commit);
  const { player, person, keyId } = commit.actor;
  if (player !== undefined && who === player) return <PlayerLink player={player} />;
  if (person !== undefined || keyId === undefined) return who;
  return <KeyLink keyId={keyId} label={who} />;
}
