import { Dialog } from '@base-ui/react/dialog';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { sessionQuery } from '../api/session.ts';
import { otherThan, targetIn } from '../api/view.ts';
import { offersFor } from '../words/palette.ts';
import { type Deed, OfferList, offerId, useChoosing, useFindDeed, useNamed, usePageDeeds } from './offers.tsx';
import styles from './palette.module.css';
import { useView } from './view.ts';

/** The palette while it is open: what is typed narrows the list, the arrows choose, Enter goes. */
export function OpenedPalette({ close }: { readonly close: () => void }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const deeds = useDeeds(typed);
  const act = (deed: Deed) => {
    close();
    deed.go();
  };
  const { at, choose, press } = useChoosing(deeds, act);
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
            aria-activedescendant={offerId(id, at)}
            aria-autocomplete="list"
            placeholder="A page, a name, or any id"
            autoComplete="off"
            spellCheck={false}
            maxLength={256}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              choose(0);
            }}
            onKeyDown={press}
          />
          <OfferList id={id} label="Where to" deeds={deeds} at={at} choose={choose} act={act} />
          <p className={styles.foot} aria-hidden="true">
            ↑ ↓ to choose, Enter to go, Escape to leave
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Names of the game that are offered. */
const NAMES = 20;

/** Everything that one can go to or switch, what of the game is named so, and last what was typed itself. */
function useDeeds(typed: string): readonly Deed[] {
  const { project, target, at } = useView();
  const { data } = useSuspenseQuery(sessionQuery);
  const navigate = useNavigate();
  const pages = usePageDeeds();
  const projects = data.projects
    .filter(({ id }) => id !== project)
    .map(({ id, title }): Deed => {
      const go = () => void navigate({ to: '/p/$project', params: { project: id }, search: { at: undefined } });
      return { kind: 'project', name: title, about: id, go };
    });
  const search = (next: { readonly target?: 'next' | undefined; readonly at?: undefined }) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...next }) });
  const other = otherThan(target);
  const switches: readonly Deed[] = [
    {
      kind: 'switch',
      name: `Look at ${other}`,
      about: other === 'next' ? 'what is staged' : 'what players have',
      go: () => search({ target: targetIn(other) }),
    },
    ...(at === undefined ? [] : [{ kind: 'switch', name: 'Back to now', about: 'leave the past', go: () => search({ at: undefined }) }]),
    { kind: 'page', name: 'Your account', about: 'password, sessions, sign out', go: () => void navigate({ to: '/account' }) },
  ];
  const held = typed.trim();
  const named = useNamed(held, NAMES);
  const find = useFindDeed(held, { kind: 'find', name: `Look for “${held}”` });
  return [...offersFor([...pages, ...switches, ...projects], typed), ...named, ...(held === '' ? [] : [find])];
}
