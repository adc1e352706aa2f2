import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Beside } from '../../words/grid-keys.ts';
import { type Column, cellOf, problemOf, type Row, typedCell } from '../../words/sheet.ts';
import styles from './grid.module.css';

/** What is typed into a cell, and the cell that it was begun in. */
export interface Draft {
  readonly text: string;
  readonly row: Row;
  readonly column: Column;
}

interface EditorProps {
  readonly label: string;
  readonly draft: Draft;
  readonly commit: (draft: Draft, text: string, isForced?: boolean) => boolean;
  /** `null`: the cell stays the active one. */
  readonly leave: (by: Beside | null) => void;
}

/** The editor of a cell. It says what does not fit as it is typed, and lets nothing of that pass by a key. */
export function CellEditor({ label, draft, commit, leave }: EditorProps) {
  const [text, setText] = useState(draft.text);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const why = problemOf(typedCell(text, draft.column, cellOf(draft.row, draft.column)), draft.column);
  useEffect(() => {
    input.current?.focus();
    input.current?.setSelectionRange(draft.text.length, draft.text.length);
  }, [draft]);
  const finish = (by: Beside | null, isKept: boolean) => {
    if (isKept && !commit(draft, text)) return;
    isDone.current = true;
    leave(by);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by = KEYS[`${event.shiftKey ? 'Shift+' : ''}${event.key}`];
    if (event.key !== 'Escape' && by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    finish(event.key === 'Escape' ? null : (by ?? null), event.key !== 'Escape');
  };
  return (
    <>
      <input
        ref={input}
        className={styles.editor}
        aria-label={label}
        aria-invalid={why !== null}
        aria-describedby={why === null ? undefined : id}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
        onBlur={() => {
          if (isDone.current) return;
          isDone.current = true;
          commit(draft, text, true);
          leave(null);
        }}
      />
      {why !== null && (
        <span className={styles.why} id={id} role="alert">
          {why}
        </span>
      )}
    </>
  );
}

const KEYS: Readonly<Record<string, Beside>> = {
  Enter: 'down',
  'Shift+Enter': 'up',
  Tab: 'right',
  'Shift+Tab': 'left',
};
