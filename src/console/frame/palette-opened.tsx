import { Dialog } from '@base-ui/react/dialog';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { namesQuery } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { namedOffer, type Offer, offersFor } from '../words/palette.ts';
import { usePageOf } from './page-of.ts';
import { usePages } from './pages.ts';
import styles from './palette.module.css';
import { useView } from './view.ts';

interface Deed extends Offer {
  readonly kind: string;
  readonly go: () => void;
}

/** The palette while it is open: what is typed narrows the list, the arrows choose, Enter goes. */
export function OpenedPalette({ close }: { readonly close: () => void }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const deeds = useDeeds(typed);
  const at = Math.min(chosen, deeds.length - 1);
  const act = (deed: Deed | undefined) => {
    if (deed === undefined) return;
    close();
    deed.go();
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 && event.key !== 'Enter') return;
    event.preventDefault();
    if (event.key === 'Enter') return act(deeds[at]);
    setChosen((at + step + deeds.length) % Math.max(1, deeds.length));
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label="Go to">
          <input
            className={styles.box}
            role="combobox"
            aria-label="A page, a name, or any id"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
            aria-autocomplete="list"
            placeholder="A page, a name, or any id"
            autoComplete="off"
            spellCheck={false}
            maxLength={256}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setChosen(0);
            }}
            onKeyDown={press}
          />
          <div className={styles.list} id={id} role="listbox" aria-label="Where to">
            {deeds.map((deed, place) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box, which keeps the focus
              <div
                key={`${deed.kind} ${deed.name} ${deed.about}`}
                id={`${id}-${place}`}
                className={styles.offer}
                role="option"
                tabIndex={-1}
                aria-selected={place === at}
                ref={(element) => {
                  if (place === at) element?.scrollIntoView({ block: 'nearest' });
                }}
                onPointerMove={() => setChosen(place)}
                onClick={() => act(deed)}
              >
                <span className={styles.name}>{deed.name}</span>
                <span className={styles.about}>{deed.about}</span>
                <span className={styles.kind}>{deed.kind}</span>
              </div>
            ))}
          </div>
          <p className={styles.foot} aria-hidden="true">
            ↑ ↓ to choose, Enter to go, Escape to leave
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** How long typing rests before names are asked for, ms. */
const REST_MS = 120;

/** Everything that one can go to or switch, what of the game is named so, and last what was typed itself. */
function useDeeds(typed: string): readonly Deed[] {
  const { project, target, at } = useView();
  const { data } = useSuspenseQuery(sessionQuery);
  const navigate = useNavigate();
  const pages = usePages().map(
    ({ to, name, about }): Deed => ({ kind: 'page', name, about, go: () => void navigate({ to, params: { project } }) }),
  );
  const projects = data.projects
    .filter(({ id }) => id !== project)
    .map(({ id, title }): Deed => {
      const go = () => void navigate({ to: '/p/$project', params: { project: id }, search: { at: undefined } });
      return { kind: 'project', name: title, about: id, go };
    });
  const search = (next: { readonly target?: 'next' | undefined; readonly at?: undefined }) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...next }) });
  const other = target === 'live' ? 'next' : 'live';
  const switches: readonly Deed[] = [
    {
      kind: 'switch',
      name: `Look at ${other}`,
      about: other === 'next' ? 'what is staged' : 'what players have',
      go: () => search({ target: other === 'next' ? 'next' : undefined }),
    },
    ...(at === undefined ? [] : [{ kind: 'switch', name: 'Back to now', about: 'leave the past', go: () => search({ at: undefined }) }]),
    { kind: 'page', name: 'Your account', about: 'password, sessions, sign out', go: () => void navigate({ to: '/account' }) },
  ];
  const held = typed.trim();
  const named = useNamed(held);
  const find: Deed = {
    kind: 'find',
    name: `Look for “${held}”`,
    about: 'as an id, a whole name, or a player’s name',
    go: () => void navigate({ to: '/p/$project/find/$held', params: { project, held } }),
  };
  return [...offersFor([...pages, ...switches, ...projects], typed), ...named, ...(held === '' ? [] : [find])];
}

/** Definitions and values whose name begins so. */
function useNamed(typed: string): readonly Deed[] {
  const view = useView();
  const navigate = useNavigate();
  const pageOf = usePageOf();
  const rested = useRested(typed);
  const { data = [] } = useQuery(namesQuery(view, rested));
  if (typed.length < 2) return [];
  return data.flatMap((found): Deed[] => {
    const page = pageOf(found);
    return page === null ? [] : [{ ...namedOffer(found), go: () => void navigate(page) }];
  });
}

/** What was typed, once no more is for a moment. */
function useRested(typed: string): string {
  const [rested, setRested] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return rested;
}
