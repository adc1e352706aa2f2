import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useBlocker } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { saveFile } from '../../api/files.ts';
import { valuesQuery } from '../../api/values.ts';
import { otherThan, type View } from '../../api/view.ts';
import { useMay, useMayReadStaged, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { useIsDialogOpen } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, Page, Waiting } from '../../parts/page.tsx';
import { useStanding } from '../../parts/standing.ts';
import { clamped, rangeOf, selectionAt } from '../../words/grid-keys.ts';
import { ofDefinition, ofValue } from '../../words/last-change.ts';
import {
  type CellEdit,
  type Cells,
  cellOf,
  cellText,
  FIRST,
  type NamedPlace,
  nextHolding,
  placeNamed,
  rowName,
  type Sheet,
  sheetOf,
  withCells,
  withoutColumn,
  withoutRows,
  withRowsBehind,
} from '../../words/sheet.ts';
import { type CellMarks, changesBetween, countOf, differencesFrom, marksOf, problemsIn } from '../../words/sheet-changes.ts';
import { csvOf } from '../../words/sheet-text.ts';
import type { Decimal, Unclear } from '../../words/thousands.ts';
import { cut } from '../../words/value.ts';
import { useLastChange } from '../publishes/last-change.tsx';
import { PublishesMoved } from '../publishes/moved.tsx';
import { CellHistoryDialog } from './cell-history.tsx';
import { ColumnDialog } from './column.tsx';
import { type Editing, useEditing } from './editing.ts';
import { Grid } from './grid.tsx';
import { ImportDialog } from './import.tsx';
import { RemoveValueDialog } from './remove-value.tsx';
import { SaveDialog } from './save.tsx';
import styles from './values.module.css';
import { WhichNumber } from './which-number.tsx';

const route = getRouteApi('/signed-in/p/$project/values/$value');

/** One group or table of game values. */
export function ValuePage() {
  const { value } = route.useParams();
  const view = useView();
  const read = useQuery(valuesQuery(view));
  const sheet = useMemo(() => (read.data === undefined ? undefined : sheetOf(value, read.data.served)), [read.data, value]);
  if (sheet !== undefined && sheet !== null) return <ShownValue key={`${view.target} ${view.at} ${value}`} view={view} shown={sheet} />;
  return (
    <Page name={value} title={value} sub={<Crumb view={view} />}>
      <Card title="Values">
        {read.isPending && <Waiting what="the values" />}
        {read.isError && <Failed error={read.error} again={() => void read.refetch()} />}
        {sheet === null && (
          <Empty title={`There is no “${value}” in ${view.target}`}>
            It may be staged alone, or be gone. Look at the other of live and next, or at an earlier moment.
          </Empty>
        )}
      </Card>
    </Page>
  );
}

function Crumb({ view }: { readonly view: View }) {
  return (
    <Link to="/p/$project/values" params={{ project: view.project }}>
      All values
    </Link>
  );
}

type Open = 'save' | 'history' | 'import' | 'column' | 'remove' | null;

function ShownValue({ view, shown }: { readonly view: View; readonly shown: Sheet }) {
  const mayDo = useMay();
  const readsStaged = useMayReadStaged();
  const place = route.useSearch();
  const editing = useEditing(shown);
  const [open, setOpen] = useState<Open>(null);
  const [isTyping, setTyping] = useState(false);
  const isDeciding = useIsDialogOpen();
  const { sheet, isEdited } = editing;
  const why = readOnlyBecause(view, sheet, mayDo);
  const lastOf = useLastChange();
  useBlocker({
    shouldBlockFn: () => !window.confirm('Leave these changes? They are not saved.'),
    enableBeforeUnload: () => isEdited,
    disabled: !isEdited,
  });
  const close = () => setOpen(null);
  return (
    <Page
      name={sheet.name}
      title={
        <>
          {sheet.name} {view.target === 'next' && <Chip tone="next">next</Chip>}
        </>
      }
      sub={
        <>
          <Crumb view={view} /> · {sheet.kind} <code>{sheet.id}</code> <CopyButton text={sheet.id} what="the id" />
          {sheet.collection !== null && ` · kept in the collection ${sheet.collection}`}
          {sheet.description !== '' && ` · ${sheet.description}`}
          <span className={styles.last}>
            {lastOf(sheet.collection === null ? ofValue(sheet.name) : ofDefinition('collection', sheet.collection))}
          </span>
        </>
      }
      actions={
        <>
          <Button onClick={() => saveFile(`${sheet.id}.csv`, [csvOf(sheet)], 'text/csv')}>Save as CSV</Button>
          {why === null && <Button onClick={() => setOpen('import')}>Read a CSV…</Button>}
          {why === null && (
            <Button
              look="bad"
              disabled={isEdited}
              title={isEdited ? 'First save what is changed, or drop it' : undefined}
              onClick={() => setOpen('remove')}
            >
              Remove…
            </Button>
          )}
        </>
      }
    >
      {readsStaged && <PublishesMoved isAtOnce={!(isEdited || isTyping || isDeciding)} />}
      <SheetCard
        key={`${place.row} ${place.column}`}
        view={view}
        editing={editing}
        readOnly={why}
        open={setOpen}
        isOpen={open}
        isTyping={isTyping}
        typing={setTyping}
        place={place}
      />
      {open === 'save' && <SaveDialog editing={editing} close={close} />}
      {open === 'import' && <ImportDialog editing={editing} close={close} />}
      {open === 'remove' && <RemoveValueDialog sheet={sheet} close={close} />}
    </Page>
  );
}

/** Why cells cannot be changed; `null`: they can. */
function readOnlyBecause({ at }: View, { collection }: Sheet, mayDo: ReturnType<typeof useMay>): string | null {
  if (at !== undefined) return 'This is the past, which nobody changes.';
  if (collection === null) return mayDo('game_values', 'w') ? null : 'Your role reads values and does not change them.';
  return mayDo('collections', 'w') ? null : `These values are kept in the collection ${collection}, which your role does not change.`;
}

interface SheetCardProps {
  readonly view: View;
  readonly editing: Editing;
  readonly readOnly: string | null;
  readonly isOpen: Open;
  readonly open: (what: Open) => void;
  readonly isTyping: boolean;
  readonly typing: (isTyping: boolean) => void;
  /** What the address names in it. */
  readonly place: NamedPlace;
}

/** A number of a paste that can be read in two ways, while the sheet is what it was pasted into. */
interface Asked {
  readonly of: Sheet;
  readonly unclear: Unclear;
  readonly choose: (decimal: Decimal) => void;
}

function SheetCard({ view, editing, readOnly, open, isOpen, isTyping, typing, place }: SheetCardProps) {
  const { base, sheet, isEdited } = editing;
  const saving = useRef<HTMLButtonElement>(null);
  const [led, lead] = useState(place.row !== undefined || place.column !== undefined ? 1 : 0);
  const [chosen, select] = useState(() => selectionOf(placeNamed(sheet, place)));
  const [told, tell] = useState(() => missingOf(sheet, place));
  const [asked, setAsked] = useState<Asked | null>(null);
  // What a paste did is said while it is there: not once it was saved or dropped.
  const [wasEdited, setWasEdited] = useState(isEdited);
  if (wasEdited !== isEdited) {
    setWasEdited(isEdited);
    if (!isEdited) tell('');
  }
  const undo = () => {
    tell('');
    editing.undo();
  };
  const redo = () => {
    tell('');
    editing.redo();
  };
  const other = otherThan(view.target);
  // All values once more: what differs is marked once the page stands.
  const isStanding = useStanding();
  const beside = useQuery({ ...valuesQuery({ ...view, target: other }), enabled: isStanding && view.at === undefined });
  const differs = useMemo(
    () => (beside.data === undefined ? () => null : differencesFrom(sheetOf(base.id, beside.data.served), base)),
    [beside.data, base],
  );
  const isAnyElse = useMemo(() => base.rows.some((row) => base.columns.some((column) => differs(row, column) !== null)), [base, differs]);
  const changes = useMemo(() => changesBetween(base, sheet), [base, sheet]);
  const problems = useMemo(() => problemsIn(sheet, changes), [sheet, changes]);
  const marks = useMemo(() => marksOf({ base, changes, problems, differs }), [base, changes, problems, differs]);
  const selection = clamped(chosen, { rows: sheet.rows.length, columns: sheet.columns.length });
  const change = (edits: readonly CellEdit[], added: readonly Cells[] = []) => {
    const behind = new Map([[sheet.rows.at(-1)?.id ?? FIRST, added]]);
    const edited = edits.length === 0 ? sheet : withCells(sheet, edits);
    editing.change(added.length === 0 ? edited : withRowsBehind(edited, behind));
  };
  const addRow = () => {
    const place = sheet.rows.length === 0 ? -1 : selection.active.row;
    editing.change(withRowsBehind(sheet, new Map([[sheet.rows[place]?.id ?? FIRST, [{}]]])));
    select(selectionAt(place + 1, 0));
  };
  const removeRows = () => {
    const { top, bottom } = rangeOf(selection);
    editing.change(withoutRows(sheet, new Set(sheet.rows.slice(top, bottom + 1).map(({ id }) => id))));
    select(selectionAt(top, selection.active.column));
  };
  const find = (text: string) => {
    const place = nextHolding(sheet, text, selection.active);
    if (place === null) tell(`Nothing holds “${text}”.`);
    else select(selectionAt(place.row, place.column));
  };
  const [row, column] = [sheet.rows[selection.active.row], sheet.columns[selection.active.column]];
  const mayAsk = row !== undefined && column !== undefined;
  const [problem] = problems;
  return (
    <Card
      title={`${sheet.rows.length} ${sheet.kind === 'table' ? 'row' : 'value'}${sheet.rows.length === 1 ? '' : 's'}`}
      actions={
        <search className={styles.search}>
          <input
            type="search"
            aria-label="Find in the table"
            placeholder="Find, and Enter"
            maxLength={200}
            onKeyDown={(event) => event.key === 'Enter' && find(event.currentTarget.value)}
          />
        </search>
      }
    >
      <div className={styles.tools} role="toolbar" aria-label="Of the table">
        {readOnly !== null && <span className={styles.why}>{readOnly}</span>}
        {readOnly === null && (
          <>
            <Button isSmall onClick={undo} disabled={!editing.canUndo} title="Ctrl+Z">
              Undo typing
            </Button>
            <Button isSmall onClick={redo} disabled={!editing.canRedo} title="Ctrl+Y">
              Redo typing
            </Button>
            <Button isSmall onClick={addRow}>
              {sheet.kind === 'table' ? 'Add a row' : 'Add a value'}
            </Button>
            <Button isSmall onClick={removeRows} disabled={sheet.rows.length === 0}>
              Remove {rangeOf(selection).top === rangeOf(selection).bottom ? 'row' : 'rows'}
            </Button>
            {sheet.kind === 'table' && (
              <>
                <Button isSmall onClick={() => open('column')}>
                  Add a column…
                </Button>
                <Button
                  isSmall
                  disabled={column === undefined}
                  onClick={() => column !== undefined && editing.change(withoutColumn(sheet, column.key))}
                >
                  Remove column
                </Button>
              </>
            )}
          </>
        )}
        {mayAsk && (
          <Button isSmall onClick={() => open('history')}>
            History of this cell…
          </Button>
        )}
      </div>
      {sheet.rows.length === 0 && <Empty title="There are no rows">{readOnly === null && 'Add the first one above.'}</Empty>}
      <Grid
        sheet={sheet}
        isReadOnly={readOnly !== null}
        other={other}
        selection={selection}
        led={led}
        select={(next) => {
          select(next);
          tell('');
          setAsked(null);
        }}
        marksOf={marks}
        change={change}
        undo={undo}
        redo={redo}
        tell={tell}
        ask={(unclear, choose) => setAsked({ of: sheet, unclear, choose })}
        typing={typing}
        // What was typed is a change by then, and the button says whether it can be saved.
        save={() => requestAnimationFrame(() => saving.current?.click())}
      />
      {asked?.of === sheet && (
        <WhichNumber
          unclear={asked.unclear}
          choose={(decimal) => {
            setAsked(null);
            asked.choose(decimal);
          }}
        />
      )}
      <div className={styles.status} role="status">
        {told !== '' && <span>{told}</span>}
        {row !== undefined && column !== undefined && (
          <CellStatus
            name={`${rowName(sheet, row, selection.active.row)} › ${column.key}`}
            value={cellOf(row, column)}
            marks={marks(row, column)}
            other={other}
          />
        )}
      </div>
      {isAnyElse && (
        <div className={styles.status}>
          <span>
            <span className={styles.corner} aria-hidden="true" /> Cells with this corner have another value in {other}.
          </span>
        </div>
      )}
      {readOnly === null && !isEdited && !isTyping && (
        <div className={styles.status}>Choose a cell, type, and press Enter. Players notice nothing until it is made live.</div>
      )}
      {(isEdited || isTyping) && (
        <div className={styles.held}>
          <strong>{countSaid(isEdited ? countOf(changes) : 1)} not saved</strong>
          {problem !== undefined && (
            <Button
              isSmall
              look="bad"
              onClick={() => {
                select(selectionAt(sheet.rows.indexOf(problem.row), sheet.columns.indexOf(problem.column)));
                lead(led + 1);
              }}
            >
              {problems.length} {problems.length === 1 ? 'cell does' : 'cells do'} not fit: show the first
            </Button>
          )}
          <span className={styles.gap} />
          <Button isSmall onClick={editing.forget}>
            Drop {countOf(changes) > 1 ? 'all of them' : 'it'}
          </Button>
          <Button
            ref={saving}
            isSmall
            look="main"
            title="Ctrl+S"
            disabled={problems.length > 0 || (countOf(changes) === 0 && !isTyping)}
            onClick={() => open('save')}
          >
            Save…
          </Button>
        </div>
      )}
      {isOpen === 'history' && row !== undefined && column !== undefined && (
        <CellHistoryDialog sheet={sheet} row={row} column={column} place={selection.active.row} close={() => open(null)} />
      )}
      {isOpen === 'column' && <ColumnDialog editing={editing} close={() => open(null)} />}
    </Card>
  );
}

function countSaid(count: number): string {
  return count === 1 ? 'One change' : `${count} changes`;
}

interface CellStatusProps {
  readonly name: string;
  readonly value: unknown;
  readonly marks: CellMarks;
  readonly other: string;
}

function CellStatus({ name, value, marks: { differs, problem }, other }: CellStatusProps) {
  return (
    <>
      <strong>{name}</strong>
      <span>{cut(cellText(value), 300) || 'nothing'}</span>
      {differs !== null && (
        <span>
          in {other}: {cut(cellText(differs.value), 300) || 'nothing'}
        </span>
      )}
      {problem !== null && <span className={styles.bad}>{problem}</span>}
    </>
  );
}

function selectionOf(place: ReturnType<typeof placeNamed>) {
  return selectionAt(place?.row ?? 0, place?.column ?? 0);
}

/** What is said where the address names what is not there. */
function missingOf(sheet: Sheet, asked: NamedPlace): string {
  const { column, row: name = column } = asked;
  return name === undefined || placeNamed(sheet, asked) !== null ? '' : `There is no “${name}” here.`;
}
