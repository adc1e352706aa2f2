import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { namesQuery } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { useSettled } from '../parts/settled.ts';
import { heldIn, keyShown } from '../words/held.ts';
import { namedOffer, type Offer } from '../words/palette.ts';
import styles from './offers.module.css';
import { usePageOf } from './page-of.ts';
import { usePages } from './pages.ts';
import { useView } from './view.ts';

/** What is offered below a box while one types: the arrows choose, Enter goes. */

export interface Deed extends Offer {
  readonly kind: string;
  readonly go: () => void;
}

/** Which of the deeds is chosen. `-1`: there is none. */
export function useChoosing(deeds: readonly Deed[], act: (deed: Deed) => void) {
  const [chosen, choose] = useState(0);
  const at = Math.min(chosen, deeds.length - 1);
  /** The keys of a box above the list. */
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if ((step === 0 && event.key !== 'Enter') || event.nativeEvent.isComposing) return;
    event.preventDefault();
    const deed = deeds[at];
    if (step !== 0) choose((at + step + deeds.length) % Math.max(1, deeds.length));
    else if (deed !== undefined) act(deed);
  };
  return { at, choose, press };
}

interface OfferListProps {
  readonly id: string;
  readonly label: string;
  readonly deeds: readonly Deed[];
  readonly at: number;
  readonly choose: (place: number) => void;
  readonly act: (deed: Deed) => void;
}

/** The id of an offer, which the box names as the chosen one. */
export function offerId(list: string, at: number): string | undefined {
  return at < 0 ? undefined : `${list}-${at}`;
}

export function OfferList({ id, label, deeds, at, choose, act }: OfferListProps) {
  return (
    <div className={styles.list} id={id} role="listbox" aria-label={label}>
      {deeds.map((deed, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box, which keeps the focus
        <div
          key={`${deed.kind} ${deed.name} ${deed.about}`}
          id={offerId(id, place)}
          className={styles.offer}
          role="option"
          tabIndex={-1}
          aria-selected={place === at}
          ref={(element) => {
            if (place === at) element?.scrollIntoView({ block: 'nearest' });
          }}
          onPointerDown={(event) => event.preventDefault()}
          onPointerMove={() => choose(place)}
          onClick={() => act(deed)}
        >
          <span className={styles.name}>{deed.name}</span>
          <span className={styles.about}>{deed.about}</span>
          <span className={styles.kind}>{deed.kind}</span>
        </div>
      ))}
    </div>
  );
}

/** The pages of the project. */
export function usePageDeeds(): readonly Deed[] {
  const { project } = useView();
  const navigate = useNavigate();
  return usePages().map(({ to, name, about }) => ({ kind: 'page', name, about, go: () => void navigate({ to, params: { project } }) }));
}

/** Looks for what was typed, whatever it is. A key leads to the list of keys, a project to its first page: neither is asked for. */
export function useFindDeed(typed: string, said: Pick<Deed, 'kind' | 'name'>): Deed {
  const { project } = useView();
  const { data } = useSuspenseQuery(sessionQuery);
  const navigate = useNavigate();
  const held = heldIn(typed);
  const go = () => {
    const key = keyShown(held);
    const other = data.projects.find(({ id }) => id === held);
    if (key !== null) void navigate({ to: '/p/$project/keys', params: { project }, search: { key } });
    else if (other !== undefined) void navigate({ to: '/p/$project', params: { project: other.id }, search: { at: undefined } });
    else void navigate({ to: '/p/$project/find/$held', params: { project, held } });
  };
  return { ...said, about: 'among ids, names and players', go };
}

/** How long typing rests before names are asked for, ms. */
const REST_MS = 120;

/** Definitions and values that have it in their name, the first ones of them. */
export function useNamed(typed: string, most: number): readonly Deed[] {
  const view = useView();
  const navigate = useNavigate();
  const pageOf = usePageOf();
  // A secret comes into no address.
  const rested = useSettled(keyShown(typed) === null ? typed : '', REST_MS);
  const { data } = useQuery(namesQuery(view, rested));
  if (typed.length < 2 || data === undefined) return [];
  return data.names.slice(0, most).flatMap((found): Deed[] => {
    const page = pageOf(found);
    return page === null ? [] : [{ ...namedOffer(found), go: () => void navigate(page) }];
  });
}
