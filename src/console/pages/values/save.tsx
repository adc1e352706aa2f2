import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NO_WHY } from '../../api/acts.ts';
import { bodyAfter, type Held, holderQuery, saveValues, Unwritable } from '../../api/value-changes.ts';
import type { Target } from '../../api/view.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useSecondPersonRule } from '../../frame/second-person.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choices } from '../../parts/field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { toldStands } from '../../parts/told.ts';
import { WhyField } from '../../parts/why-field.tsx';
import { cellText, type NamedPlace, type Sheet, sheetOf } from '../../words/sheet.ts';
import { type Clash, changesBetween, countOf, firstChanged, type Placed, placedOn, type SheetChanges } from '../../words/sheet-changes.ts';
import { lineSaid, linesOf } from '../../words/sheet-lines.ts';
import { cut, fewSaid } from '../../words/value.ts';
import { writtenChanges } from '../../words/written-values.ts';
import { AlsoAsked } from '../publishes/approval.tsx';
import { AskOnDialog, useAskOn } from '../publishes/ask-on.tsx';
import { EndsSchedule } from '../publishes/scheduled.tsx';
import { SheetChangeList } from './change-list.tsx';
import type { Editing } from './editing.ts';
import { Saved } from './saved.tsx';
import styles from './values.module.css';

const NEXT = {
  value: 'next',
  name: 'Stage it',
  means: 'It goes to next, where it can be tried. Players have it once it is made live.',
} as const;
const LIVE = { value: 'live', name: 'Make it live at once', means: 'All players have it from their next call on.' } as const;

interface WhereProps {
  readonly target: Target;
  readonly choose: (target: Target) => void;
}

/** Where a change goes; where a second person approves what goes live, there is nothing to choose. */
export function WhereTo({ target, choose }: WhereProps) {
  const { isRequired } = useSecondPersonRule();
  if (isRequired) return <p>Its tests run, then another person is asked. Players have it once that person approves it.</p>;
  return <Choices label="Where to" value={target} choose={choose} options={[NEXT, LIVE]} />;
}

/** Stores what was changed: what that means where it is going first, then why. */
export function SaveDialog({ editing, close }: { readonly editing: Editing; readonly close: () => void }) {
  const { project } = useView();
  const refresh = useRefresh();
  const { isRequired } = useSecondPersonRule();
  const asking = useAskOn();
  const { base, sheet } = editing;
  const [target, setTarget] = useState<Target>('next');
  const [why, setWhy] = useState(NO_WHY);
  const [own, setOwn] = useState(false);
  /** What changed and where, once it is stored. */
  const [saved, setSaved] = useState<{ readonly changed: string; readonly place: NamedPlace } | null>(null);
  const intentOf = useIntent();
  const look = useQuery(holderQuery(project, target, base.collection));
  const planned = look.data === undefined ? null : plannedOn(look.data, base, sheet, own);
  const act = useMutation({
    mutationFn: async ({ held, after, isAsked }: { readonly held: Held; readonly after: Planned; readonly isAsked: boolean }) => {
      const body = await bodyAfter(held, after.written);
      const asked = { project, target, base: held.base, why, collection: base.collection, body };
      const revision = await saveValues(asked, intentOf([target, held.base, why, after.written]));
      // It is staged, whatever comes of the asking: that says so itself.
      const came = isAsked ? await asking.mutateAsync({ base: revision, why }).catch(() => null) : null;
      return came?.approval ?? null;
    },
    onSuccess: async (approval, { after: { changes, there, after } }) => {
      if (approval !== null) {
        // What waits for another person is told above every page: the dialog stays until it is, and the page shows what was staged.
        await refresh();
        await toldStands();
        editing.forget();
        close();
        return;
      }
      setSaved({ changed: fewSaid(linesOf(changes, there, after).map(lineSaid)), place: firstChanged(changes, after) });
      // Before anything is read anew: whoever goes on at once leaves nothing unsaved.
      editing.forget();
      await refresh();
    },
  });
  if (saved !== null && !asking.isIdle) return <AskOnDialog asking={asking} changed={saved.changed} close={close} />;
  if (saved !== null) return <Saved target={target} value={base.id} {...saved} close={close} />;
  const nothing = planned?.ok === true && countOf(planned.changes) === 0;
  const isReady = planned?.ok === true && !nothing && !act.isPending;
  const save = (isAsked: boolean) => planned?.ok && look.data !== undefined && act.mutate({ held: look.data, after: planned, isAsked });
  const isOnlyStaging = act.isPending && !act.variables.isAsked;
  return (
    <Dialog
      title={`Save ${base.name}?`}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look={isRequired ? 'plain' : 'main'} disabled={!isReady} onClick={() => save(false)}>
            {isOnlyStaging ? 'Saving…' : isRequired ? 'Stage it, ask later' : target === 'next' ? 'Stage it' : 'Make it live'}
          </Button>
          {isRequired && (
            <Button look="main" disabled={!isReady || why.reason.trim() === ''} onClick={() => save(true)}>
              {act.isPending && !isOnlyStaging ? 'Testing and asking…' : 'Stage and ask for approval'}
            </Button>
          )}
        </>
      }
    >
      <WhereTo target={target} choose={setTarget} />
      {look.isPending && <Waiting isLine what="what would change" />}
      {look.isError && <Failed error={look.error} />}
      {planned !== null && !planned.ok && <p className={styles.bad}>{planned.why}</p>}
      {planned?.ok && <Clashes clashes={planned.clashes} target={target} own={own} choose={setOwn} />}
      {planned?.ok && <SheetChangeList changes={planned.changes} before={planned.there} after={planned.after} />}
      {nothing && planned.clashes.length === 0 && <p>There is nothing to save: {target} has all of it.</p>}
      {isRequired && <AlsoAsked isHeld={act.isPending} />}
      {target === 'next' && <EndsSchedule />}
      <WhyField isStaged={target === 'next'} isAsked={isRequired} why={why} change={setWhy} />
      {act.isError && act.error instanceof Unwritable && <p className={styles.bad}>{act.error.message}</p>}
      {act.isError && !(act.error instanceof Unwritable) && (
        <Failed error={act.error}>
          <p>
            <Button isSmall onClick={() => void look.refetch().then(() => act.reset())}>
              Look at what is there now, and keep my changes
            </Button>
          </p>
        </Failed>
      )}
    </Dialog>
  );
}

interface Planned {
  readonly ok: true;
  readonly clashes: readonly Clash[];
  readonly changes: SheetChanges;
  readonly there: Sheet;
  readonly after: Sheet;
  readonly written: NonNullable<ReturnType<typeof writtenChanges>>;
}

/** The changes, made to what the target has. */
function plannedOn(held: Held, base: Sheet, now: Sheet, own: boolean): Planned | { readonly ok: false; readonly why: string } {
  const there = sheetOf(base.id, held.served);
  if (there === null || there.kind !== base.kind || there.collection !== base.collection)
    return { ok: false, why: `There is no such ${base.kind} there. It is made, moved or removed where it is kept.` };
  const { sheet, clashes }: Placed = placedOn(there, base, now, own, (value) => cut(cellText(value), 80) || 'nothing');
  const written = writtenChanges(held.written, there, sheet);
  if (written === null)
    return { ok: false, why: 'What is kept there is in a form that this page cannot change. Change it in Definitions, or in its file.' };
  return { ok: true, clashes, changes: changesBetween(there, sheet), there, after: sheet, written };
}

interface ClashesProps {
  readonly clashes: readonly Clash[];
  readonly target: Target;
  readonly own: boolean;
  readonly choose: (own: boolean) => void;
}

/** Cells that somebody else changed meanwhile, or that the other target has otherwise. */
function Clashes({ clashes, target, own, choose }: ClashesProps) {
  if (clashes.length === 0) return null;
  return (
    <div className={styles.clashes} role="alert">
      <p>
        <strong>{target === 'next' ? 'What is staged' : 'Live'} has something else here than you saw.</strong> Unless you say so, it stays.
      </p>
      {clashes.slice(0, MOST).map(({ what, seen, there, own: yours }) => (
        <p key={what}>
          {what}: you saw {seen}, it is <strong>{there}</strong>, yours is <strong>{yours}</strong>
        </p>
      ))}
      <label className={styles.check}>
        <input type="checkbox" checked={own} onChange={({ target: box }) => choose(box.checked)} />
        <span>Take mine all the same.</span>
      </label>
    </div>
  );
}

/** Clashes that are listed. */
const MOST = 200;
