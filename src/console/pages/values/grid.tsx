import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { classes } from '../../parts/classes.ts';
import { besideActive, besideEdited, isWithin, movedBy, rangeOf, type Selection, selectionAt } from '../../words/grid-keys.ts';
import {
  type CellEdit,
  type Cells,
  type Column,
  cellOf,
  cellText,
  namingColumn,
  problemOf,
  type Row,
  rowName,
  type Sheet,
  typedCell,
} from '../../words/sheet.ts';
import type { CellMarks } from '../../words/sheet-changes.ts';
import { copiedText, pasted, pasteSaid, type Writing } from '../../words/sheet-text.ts';
import type { Decimal, Unclear } from '../../words/thousands.ts';
import { cut } from '../../words/value.ts';
import { CellEditor, type Draft } from './cell-editor.tsx';
import styles from './grid.module.css';

/** A sheet as a grid of cells, used as a spreadsheet is. Of the rows only those in sight are made. */

export interface GridProps {
  readonly sheet: Sheet;
  readonly isReadOnly: boolean;
  readonly other: 'live' | 'next';
  readonly selection: Selection;
  /** How often somebody was led to a cell, such as by the address: the keys are the grid's then. */
  readonly led: number;
  readonly marksOf: (row: Row, column: Column) => CellMarks;
  readonly select: (selection: Selection) => void;
  readonly change: (edits: readonly CellEdit[], added?: readonly Cells[]) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** What a paste or a key could not do. */
  readonly tell: (what: string) => void;
  /** Of what is pasted a number can be read in two ways: nothing is done before one is chosen. */
  readonly ask: (unclear: Unclear, choose: (decimal: Decimal) => void) => void;
  /** Whether something stands in a cell that is not taken yet. */
  readonly typing: (isTyping: boolean) => void;
  /** Asked for by a key, once what is typed is taken. */
  readonly save: () => void;
}

const ROW = 32;
const HEAD = 34;
const NUMBERS = 56;
/** Stands beside cells that were copied here: their numbers are read as they were written. */
const OF_CELLS = 'application/x-savepoint-cells';
const READ_ONLY = 'These cells cannot be changed here.';
const TYPE_WORDS: Readonly<Record<Column['type'], string>> = { string: 'text', number: 'number', boolean: 'true or false', any: '' };
/** Rows that are made above and below those in sight. */
const BESIDE = 6;

export function Grid(props: GridProps) {
  const { sheet, isReadOnly, selection, led, select, change, tell, typing } = props;
  const id = useId();
  const grid = useRef<HTMLDivElement>(null);
  const isLeaving = useRef(false);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [first, setFirst] = useState(0);
  const [height, setHeight] = useState(600);
  const widths = useMemo(() => sheet.columns.map((column) => widthOf(sheet, column)), [sheet]);
  const naming = useMemo(() => namingColumn(sheet), [sheet]);
  const total = widths.reduce((sum, width) => sum + width, NUMBERS);
  const { active } = selection;
  const size = { rows: sheet.rows.length, columns: sheet.columns.length };
  const inSight = Math.max(1, Math.floor((height - HEAD) / ROW));

  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null) return;
    const measure = new ResizeObserver(() => setHeight(element.clientHeight));
    measure.observe(element);
    return () => measure.disconnect();
  }, []);
  useEffect(() => {
    if (grid.current !== null) bringIntoSight(grid.current, active.row, active.column, widths);
  }, [active, widths]);

  /** What is typed is taken, too, as its editor loses the focus. */
  const takeKeys = useCallback(() => grid.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (led > 0) takeKeys();
  }, [led, takeKeys]);

  const isTyping = draft !== null;
  useEffect(() => typing(isTyping), [isTyping, typing]);

  const leaveDraft = () => {
    setDraft(null);
    takeKeys();
  };
  const cellAt = (row: number, column: number): unknown => {
    const [own, of] = [sheet.rows[row], sheet.columns[column]];
    return own === undefined || of === undefined ? undefined : cellOf(own, of);
  };
  /** `false`: what was typed does not fit, and stays. */
  const commit = ({ row, column }: Draft, text: string, isForced = false): boolean => {
    const before = cellOf(row, column);
    const value = typedCell(text, column, before);
    const why = problemOf(value, column);
    if (why !== null && !isForced) return false;
    if (text !== cellText(before)) change([{ row: row.id, column: column.key, value }]);
    return true;
  };
  const begin = (text: string) => {
    const [row, column] = [sheet.rows[active.row], sheet.columns[active.column]];
    if (isReadOnly) tell(READ_ONLY);
    else if (row !== undefined && column !== undefined) setDraft({ text, row, column });
  };
  const clear = () => {
    const { top, bottom, left, right } = rangeOf(selection);
    const columns = sheet.columns.slice(left, right + 1);
    const rows = sheet.rows.slice(top, bottom + 1);
    change(rows.flatMap((row) => columns.map(({ key }) => ({ row: row.id, column: key, value: undefined }))));
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const key = { key: event.key, isControl: event.ctrlKey || event.metaKey, isShift: event.shiftKey };
    if (key.isControl && /^s$/i.test(event.key)) {
      event.preventDefault();
      takeKeys();
      return props.save();
    }
    if (event.target !== grid.current) return;
    if (event.altKey || sheet.rows.length === 0) return;
    if (event.key === 'Tab') return tab(event);
    isLeaving.current = event.key === 'Escape';
    if (key.isControl && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      return /y/i.test(event.key) || event.shiftKey ? props.redo() : props.undo();
    }
    const moved = movedBy(selection, key, size, inSight - 1, (row, column) => cellText(cellAt(row, column)) !== '');
    if (moved !== null) {
      event.preventDefault();
      return select(moved);
    }
    write(event, key.isControl);
  };
  const write = (event: KeyboardEvent, isControl: boolean) => {
    if (isControl) return;
    if (event.key === 'Enter' || event.key === 'F2') begin(cellText(cellAt(active.row, active.column)));
    else if (event.key === 'Delete' || event.key === 'Backspace') isReadOnly ? tell(READ_ONLY) : clear();
    else if (event.key.length === 1) begin(event.key);
    else return;
    event.preventDefault();
  };
  /** Tab goes from cell to cell; after Escape, and behind the last cell, it leaves. */
  const tab = (event: KeyboardEvent) => {
    const next = besideActive(selection, event.shiftKey ? -1 : 1, size);
    if (isLeaving.current || next === null) return;
    event.preventDefault();
    select(next);
  };
  const copy = (event: ClipboardEvent) => {
    if (event.target !== grid.current) return;
    event.preventDefault();
    const copied = copiedText(sheet, selection);
    event.clipboardData.setData('text/plain', copied);
    event.clipboardData.setData(OF_CELLS, copied);
    if (event.type === 'cut' && !isReadOnly) clear();
  };
  const paste = (event: ClipboardEvent) => {
    if (event.target !== grid.current) return;
    event.preventDefault();
    if (isReadOnly) return tell(READ_ONLY);
    const text = event.clipboardData.getData('text/plain');
    put(text, text !== '' && text === event.clipboardData.getData(OF_CELLS) ? 'own' : undefined);
  };
  const put = (text: string, writing?: Writing) => {
    const done = pasted(sheet, selection, text, writing);
    if (done === null) return tell('There is nothing to paste, or too much at once.');
    if (done.unclear !== null)
      return props.ask(done.unclear, (decimal) => {
        put(text, decimal);
        takeKeys();
      });
    change(done.edits, done.added);
    select(done.selection);
    tell(pasteSaid(done));
  };
  const placeIn = (event: MouseEvent) => {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
    return cell === null ? null : { row: Number(cell.dataset['row']), column: Number(cell.dataset['column']) };
  };
  const point = (event: PointerEvent) => {
    const place = placeIn(event);
    if (place === null || isInEditor(event)) return;
    if (event.button !== 0 && isWithin(selection, place.row, place.column)) return;
    // Before another cell is the active one: nobody would find there what was typed here.
    takeKeys();
    select(event.shiftKey ? { anchor: selection.anchor, active: place } : selectionAt(place.row, place.column));
  };
  /** Keys and what is copied belong to the grid: a browser would focus the cell that is pressed. */
  const keepFocus = (event: MouseEvent) => {
    if (placeIn(event) === null || isInEditor(event)) return;
    event.preventDefault();
    takeKeys();
  };
  const drag = (event: PointerEvent) => {
    if (event.buttons !== 1 || event.pointerType === 'touch' || draft !== null) return;
    const place = placeIn(event);
    if (place !== null && (place.row !== active.row || place.column !== active.column)) select({ anchor: selection.anchor, active: place });
  };

  const from = Math.max(0, first - BESIDE);
  const until = Math.min(sheet.rows.length, first + inSight + BESIDE);
  const shown = Array.from({ length: Math.max(0, until - from) }, (_, place) => from + place);
  const rows = active.row < from || active.row >= until ? [...shown, active.row].filter((row) => row < sheet.rows.length) : shown;
  return (
    <div
      ref={grid}
      className={styles.grid}
      style={{ height: Math.min(sheet.rows.length * ROW + HEAD + 18, 640) }}
      role="grid"
      tabIndex={0}
      aria-label={sheet.name}
      aria-rowcount={sheet.rows.length + 1}
      aria-colcount={sheet.columns.length + 1}
      aria-multiselectable
      aria-readonly={isReadOnly}
      aria-activedescendant={sheet.rows.length === 0 ? undefined : `${id}-${active.row}-${active.column}`}
      aria-describedby={`${id}-keys`}
      onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollTop / ROW))}
      onKeyDown={press}
      onCopy={copy}
      onCut={copy}
      onPaste={paste}
      onPointerDown={point}
      onMouseDown={keepFocus}
      onPointerOver={drag}
      onDoubleClick={() => begin(cellText(cellAt(active.row, active.column)))}
    >
      <span className="visually-hidden" id={`${id}-keys`}>
        Arrows move. Enter or F2 changes a cell, Escape leaves it as it was. Escape and then Tab leaves the table.
      </span>
      <div role="row" aria-rowindex={1} className={styles.head} style={{ width: total }}>
        <span role="columnheader" aria-colindex={1} className={styles.number} style={{ width: NUMBERS }}>
          <span className="visually-hidden">Row</span>
        </span>
        {sheet.columns.map((column, place) => (
          <span
            key={column.key}
            role="columnheader"
            aria-colindex={place + 2}
            data-naming={place === naming || undefined}
            className={classes(styles.name, place === naming && styles.naming)}
            style={{ width: widths[place] }}
            title={columnSaid(column)}
          >
            {column.key} <small>{column.isDeclared ? TYPE_WORDS[column.type] : 'no column'}</small>
          </span>
        ))}
      </div>
      <div role="rowgroup" className={styles.body} style={{ width: total, height: sheet.rows.length * ROW }}>
        {rows.map((place) => {
          const row = sheet.rows[place];
          if (row === undefined) return null;
          return (
            <GridRow key={row.id} {...props} id={id} row={row} place={place} widths={widths} naming={naming}>
              {place === active.row && row.id === draft?.row.id ? (
                <CellEditor
                  label={`${rowName(sheet, row, place)}, ${draft.column.key}`}
                  draft={draft}
                  commit={commit}
                  leave={(by) => {
                    leaveDraft();
                    const next = by === null ? null : besideEdited(selection, by, size);
                    if (next !== null) select(next);
                  }}
                />
              ) : null}
            </GridRow>
          );
        })}
      </div>
    </div>
  );
}

function isInEditor({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('input') !== null;
}

function columnSaid({ key, type, min, max }: Column): string {
  const bounds = [min === undefined ? '' : `at least ${String(min)}`, max === undefined ? '' : `at most ${String(max)}`];
  return [key, TYPE_WORDS[type], ...bounds].filter((each) => each !== '').join(' · ');
}

/** Rows whose texts say how wide a column is. */
const LOOKED_AT = 60;

function widthOf(sheet: Sheet, column: Column): number {
  const texts = sheet.rows.slice(0, LOOKED_AT).map((row) => cellText(cellOf(row, column)).length);
  const longest = Math.max(column.key.length + TYPE_WORDS[column.type].length + 1, ...texts);
  return Math.max(96, Math.min(longest * 8.4 + 28, 380));
}

function bringIntoSight(grid: HTMLElement, row: number, column: number, widths: readonly number[]): void {
  const top = row * ROW;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + ROW + HEAD > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + ROW + HEAD - grid.clientHeight;
  const left = widths.slice(0, column).reduce((sum, width) => sum + width, NUMBERS);
  const right = left + (widths[column] ?? 0);
  const kept = NUMBERS + keptWidth(grid);
  if (left - kept < grid.scrollLeft) grid.scrollLeft = left - kept;
  else if (right > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = right - grid.clientWidth;
}

/** Of the names of rows that stay in sight beside their numbers, as on a phone. */
function keptWidth(grid: HTMLElement): number {
  const head = grid.querySelector<HTMLElement>('[data-naming]');
  return head === null || getComputedStyle(head).position !== 'sticky' ? 0 : head.offsetWidth;
}

interface GridRowProps extends GridProps {
  readonly id: string;
  readonly row: Row;
  readonly place: number;
  readonly widths: readonly number[];
  /** Its cell that says what the row is called. */
  readonly naming: number;
  /** The editor of its active cell, where one is open. */
  readonly children: ReactNode;
}

function GridRow({ id, sheet, row, place, widths, naming, selection, marksOf, other, isReadOnly, children }: GridRowProps) {
  const isActive = selection.active.row === place;
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      className={classes(styles.row, children !== null && styles.open)}
      style={{ transform: `translateY(${place * ROW}px)` }}
    >
      <span role="rowheader" aria-colindex={1} className={styles.number} style={{ width: NUMBERS }}>
        {place + 1}
      </span>
      {sheet.columns.map((column, at) => {
        const value = cellOf(row, column);
        const marks = marksOf(row, column);
        const isHere = isActive && selection.active.column === at;
        return (
          <span
            key={column.key}
            id={`${id}-${place}-${at}`}
            role="gridcell"
            tabIndex={-1}
            aria-colindex={at + 2}
            aria-selected={isWithin(selection, place, at)}
            aria-readonly={isReadOnly}
            aria-invalid={marks.problem !== null}
            data-row={place}
            data-column={at}
            data-changed={marks.isChanged || undefined}
            data-differs={(marks.differs !== null && other) || undefined}
            title={cellSaid(value, marks, other)}
            className={classes(
              styles.cell,
              at === naming && styles.naming,
              column.type === 'number' || typeof value === 'number' ? styles.digits : '',
              isHere && styles.active,
              marks.problem !== null && styles.wrong,
            )}
            style={{ width: widths[at] }}
          >
            {isHere && children !== null ? children : cut(cellText(value), 200)}
            {marks.isChanged && <span className="visually-hidden">, not saved</span>}
          </span>
        );
      })}
    </div>
  );
}

function cellSaid(value: unknown, { differs, problem }: CellMarks, other: string): string | undefined {
  const said = [
    problem ?? '',
    differs === null ? '' : `In ${other}: ${cut(cellText(differs.value), 200) || 'nothing'}`,
    cellText(value).length > 40 ? cut(cellText(value), 1000) : '',
  ];
  return said.filter((each) => each !== '').join('\n') || undefined;
}
