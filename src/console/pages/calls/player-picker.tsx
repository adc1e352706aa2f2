import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toldApartQuery } from '../../api/calls.ts';
import { playersQuery } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Field } from '../../parts/field.tsx';
import { useSettled } from '../../parts/settled.ts';
import { nameSought } from '../../words/calls.ts';
import { type Candidate, candidateSaid, factsOf } from '../../words/candidates.ts';
import { ago } from '../../words/time.ts';
import styles from './calls.module.css';

interface PickerProps {
  /** The id, or what is typed of a name. */
  readonly player: string;
  /** Whether the page chose, and nobody has typed. */
  readonly isOffered: boolean;
  readonly choose: (player: string) => void;
  /** Who may do it, the likeliest first. */
  readonly candidates: readonly Candidate[];
  /** Fields that are told before others of what a player has. */
  readonly telling: readonly string[];
  /** What stands below those who are offered. */
  readonly children: ReactNode;
}

/** Players that are offered. */
const MOST = 5;
/** A name is looked for when nobody has typed for so long, ms. */
const PAUSE_MS = 300;

/** Whose call it is: by id, by how the name begins, or one of who played last, each with what tells players apart. */
export function PlayerPicker({ player, isOffered, choose, candidates, telling, children }: PickerProps) {
  const view = useView();
  const mayFind = useMay()('players', 'r');
  const sought = nameSought(player, isOffered ? [player.trim()] : candidates.map(({ id }) => id));
  const name = useSettled(sought, PAUSE_MS, '');
  const isNamed = mayFind && name !== '' && sought !== '';
  const found = useQuery({ ...playersQuery(view, name), enabled: isNamed });
  const named = found.data?.players ?? [];
  const now = Date.now();
  const offered: readonly Offered[] = isNamed
    ? named.map(({ platformId: id, name: of }) => ({ id, name: of, said: '' }))
    : candidates.map((candidate) => ({ id: candidate.id, said: candidateSaid(candidate, (at) => ago(at, now)) }));
  const isUnknown = isNamed && found.isSuccess && !found.isFetching && named.length === 0;
  return (
    <div className={styles.picker}>
      <Field
        label="Player"
        hint={
          isOffered && player !== ''
            ? 'The likeliest of who played last. Another id may stand here, or a name; or nothing: nobody'
            : 'An id, or how the name begins; empty: nobody'
        }
        value={player}
        maxLength={128}
        onChange={({ target }) => choose(target.value)}
      />
      <div className={styles.offered} role="status">
        {isUnknown && 'No player’s name begins so: it is taken for an id.'}
      </div>
      {offered.length > 0 && (
        <ul className={styles.players} aria-label={isNamed ? 'Called so' : 'Played last'}>
          {offered.slice(0, MOST).map((each) => (
            <OfferedPlayer
              key={each.id}
              player={each}
              isChosen={each.id === player.trim()}
              mayLook={mayFind}
              choose={choose}
              telling={telling}
            />
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}

interface Offered {
  readonly id: string;
  readonly name?: string;
  /** What the call log has of the player. */
  readonly said: string;
}

interface OfferedProps {
  readonly player: Offered;
  readonly isChosen: boolean;
  /** Whether what the player has may be shown. */
  readonly mayLook: boolean;
  readonly choose: (player: string) => void;
  readonly telling: readonly string[];
}

function OfferedPlayer({ player: { id, name, said }, isChosen, mayLook, choose, telling }: OfferedProps) {
  const { data } = useQuery({ ...toldApartQuery(useView(), id), enabled: mayLook });
  const called = name ?? data?.name ?? null;
  const facts = factsOf(data?.document, telling, called);
  return (
    <li>
      <button type="button" className={styles.player} aria-pressed={isChosen} onClick={() => choose(id)}>
        <span>
          {called !== null && <strong>{called}</strong>} <span className={styles.id}>{id}</span>
        </span>{' '}
        <span>{facts.join(' · ')}</span> <span>{said}</span>
      </button>
    </li>
  );
}
