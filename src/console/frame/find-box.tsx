import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { offersFor } from '../words/palette.ts';
import { type Deed, OfferList, offerId, useChoosing, useFindDeed, useNamed, usePageDeeds } from './offers.tsx';
import styles from './shell.module.css';

/** Names and pages that are offered below the box. */
const NAMES = 12;
const PAGES = 3;

/** Takes whatever somebody holds, and arrives at its page. What is named so is offered while one types. `/` leads here from anywhere. */
export function FindBox() {
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]') !== null;
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.select();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  const held = typed.trim();
  const named = useNamed(isOpen ? held : '', NAMES);
  const pages = usePageDeeds();
  const find = useFindDeed(held, { kind: 'Enter finds', name: `Find “${held}”` });
  const deeds = [find, ...named, ...(held.length < 2 ? [] : offersFor(pages, held).slice(0, PAGES))];
  const act = ({ go }: Deed) => {
    box.current?.blur();
    setOpen(false);
    setTyped('');
    go();
  };
  const { at, choose, press } = useChoosing(deeds, act);
  const isOffered = isOpen && held !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (held !== '') act(find);
  };
  return (
    <search className={styles.find}>
      <form onSubmit={submit}>
        <label className="visually-hidden" htmlFor="find">
          Find anything by its id or name: a player, a request, a ticket, an endpoint, a value
        </label>
        <input
          ref={box}
          id="find"
          type="search"
          role="combobox"
          aria-expanded={isOffered}
          aria-controls={isOffered ? id : undefined}
          aria-activedescendant={isOffered ? offerId(id, at) : undefined}
          aria-autocomplete="list"
          aria-describedby={`${id}-how`}
          placeholder="Any id or name, and Enter"
          autoComplete="off"
          spellCheck={false}
          maxLength={256}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            choose(0);
            setOpen(true);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape' || event.key === 'Tab') setOpen(false);
            else if (isOffered) press(event);
            else if (event.key === 'ArrowDown') setOpen(true);
          }}
          onBlur={() => setOpen(false)}
        />
        <span className={styles.key} aria-hidden="true">
          /
        </span>
        <span className="visually-hidden" id={`${id}-how`}>
          Enter finds it. What has it in its name is offered below: the arrows choose.
        </span>
      </form>
      {isOffered && (
        <div className={styles.offers}>
          <OfferList id={id} label="What has it in its name" deeds={deeds} at={at} choose={choose} act={act} />
        </div>
      )}
    </search>
  );
}
