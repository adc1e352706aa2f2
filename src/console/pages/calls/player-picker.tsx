import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { playersQuery } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { isNameLike } from '../../words/calls.ts';
import styles from './calls.module.css';

interface PickerProps {
  /** The id, or what is typed of a name. */
  readonly player: string;
  readonly choose: (player: string) => void;
  /** Ids of who called last. */
  readonly callers: readonly string[];
}

/** Players that are offered. */
const MOST = 4;
/** A name is looked for when nobody has typed for so long, ms. */
const PAUSE_MS = 300;

/** Whose call it is: by id, by how the name begins, or one of who called last. */
export function PlayerPicker({ player, choose, callers }: PickerProps) {
  const view = useView();
  const mayFind = useMay()('players', 'r');
  const [name, setName] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setName(isNameLike(player) ? player.trim() : ''), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [player]);
  const isNamed = mayFind && name !== '' && isNameLike(player);
  const found = useQuery({ ...playersQuery(view, name), enabled: mayFind && name !== '' });
  const named = isNamed ? (found.data?.players ?? []) : [];
  const offered = isNamed
    ? named.map(({ platformId, name: of }) => ({ id: platformId, said: `${of} ${platformId}` }))
    : callers.filter((id) => id !== player).map((id) => ({ id, said: id }));
  const isUnknown = isNamed && found.isSuccess && !found.isFetching && named.length === 0;
  return (
    <div className={styles.picker}>
      <Field
        label="Player"
        hint={
          player === callers[0]
            ? 'Who did this last. Another id may stand here, or a name; or nothing: nobody'
            : 'An id, or how the name begins; empty: nobody'
        }
        value={player}
        maxLength={128}
        onChange={({ target }) => choose(target.value)}
      />
      <div className={styles.offered} role="status">
        {offered.length > 0 && <span>{isNamed ? 'Called so:' : 'Also did it:'}</span>}
        {isUnknown && <span>No player’s name begins so: it is taken for an id.</span>}
        {offered.slice(0, MOST).map(({ id, said }) => (
          <Button key={id} isSmall onClick={() => choose(id)}>
            {said}
          </Button>
        ))}
      </div>
    </div>
  );
}
