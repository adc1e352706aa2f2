import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef } from 'react';
import styles from './shell.module.css';

/** Takes whatever somebody holds, and arrives at its page. `/` leads here from anywhere. */
export function FindBox({ project }: { readonly project: string }) {
  const box = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const held = box.current?.value.trim() ?? '';
    if (held === '') return;
    box.current?.blur();
    void navigate({ to: '/p/$project/find/$held', params: { project, held } });
  };
  return (
    <search className={styles.find}>
      <form onSubmit={submit}>
        <label className="visually-hidden" htmlFor="find">
          Find anything by its id or name: a player, a request, an endpoint, a value
        </label>
        <input ref={box} id="find" type="search" placeholder="Any id or name" autoComplete="off" spellCheck={false} maxLength={256} />
        <span className={styles.key} aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}
