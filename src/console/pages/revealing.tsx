import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { NO_WHY } from '../api/acts.ts';
import { collectionsQuery } from '../api/queries.ts';
import { hide, ofKind, reasonFor, reveal, watchRevealed } from '../api/reveal.ts';
import { useRefresh } from '../frame/acting.ts';
import { useMay, useView } from '../frame/view.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Why } from '../parts/field.tsx';
import notices from '../parts/notice.module.css';
import { Failed } from '../parts/notice.tsx';
import { Refused } from '../words/refusal.ts';

/** Personal values are told for a reason. */

/** For what a reason is given, and how that is asked. */
const ASKED = {
  player: { of: 'Of this player', leave: 'Leave them masked', show: 'Show them' },
  collection: { of: 'Of this collection', leave: 'Leave them masked', show: 'Show them' },
  leaderboard: { of: 'Of this leaderboard', leave: 'Leave them masked', show: 'Show them' },
  currency: { of: 'Of this currency', leave: 'Leave them masked', show: 'Show them' },
  commit: { of: 'Of this commit', leave: 'Leave them masked', show: 'Show them' },
  endpoint: { of: 'Of what this endpoint comes to', leave: 'Do not run it', show: 'Run it' },
  publishing: { of: 'Among what is stored', leave: 'Do not look', show: 'Look' },
  value: { of: 'For this value', leave: 'Do not look', show: 'Look' },
} as const;

type Whose = keyof typeof ASKED;

interface RevealDialogProps {
  readonly whose: Whose;
  readonly show: (reason: string) => void;
  readonly close: () => void;
}

/** Asks why personal values are to be told. */
function RevealDialog({ whose, show, close }: RevealDialogProps) {
  const asked = ASKED[whose];
  const [why, setWhy] = useState(NO_WHY);
  const reason = why.reason.trim();
  const ticket = why.ticket.trim();
  const said = (ticket === '' ? reason : `${reason} (ticket ${ticket})`).slice(0, 256);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A form that it was opened from is not sent with it.
    event.stopPropagation();
    if (reason !== '') show(said);
  };
  return (
    <Dialog
      title={asked.show === 'Look' ? 'Look among personal values?' : 'Show personal values?'}
      sub={`${asked.of}, on this page, for ten minutes. Each look is recorded with your name and the reason before you see it.`}
      close={close}
      foot={
        <>
          <Button onClick={close}>{asked.leave}</Button>
          <Button look="main" disabled={reason === ''} onClick={() => show(said)}>
            {asked.show}
          </Button>
        </>
      }
    >
      <form onSubmit={submit}>
        <Why {...why} change={setWhy} />
      </form>
    </Dialog>
  );
}

interface AskWhyProps {
  /** What the reason is for, as `api/reveal.ts` names it. */
  readonly of: string;
  readonly whose: Whose;
  /** Asks for the same anew. */
  readonly again: () => void;
}

interface RevealButtonProps extends AskWhyProps {
  readonly name?: string;
  readonly isSmall?: boolean;
}

/** A button that asks why, and goes on with what was asked for. There is none for whoever may not. */
export function RevealButton({ of, whose, again, name = 'Show personal values', isSmall = false }: RevealButtonProps) {
  const { project } = useView();
  const mayDo = useMay();
  const [isAsking, setAsking] = useState(false);
  if (!mayDo('reveal', 'r')) return null;
  const show = (reason: string) => {
    reveal(project, of, reason);
    setAsking(false);
    again();
  };
  return (
    <>
      <Button isSmall={isSmall} onClick={() => setAsking(true)}>
        {name}
      </Button>
      {isAsking && <RevealDialog whose={whose} show={show} close={() => setAsking(false)} />}
    </>
  );
}

/** The same at the foot of a notice. */
export function AskWhy(asked: AskWhyProps) {
  const mayDo = useMay();
  if (!mayDo('reveal', 'r')) return null;
  return (
    <div className={notices.actions}>
      <RevealButton {...asked} isSmall />
    </div>
  );
}

/** Whether personal values are told, wherever on the page the reason was given. */
function useIsRevealed(of: string): boolean {
  const { project } = useView();
  return useSyncExternalStore(watchRevealed, () => reasonFor(project, of) !== undefined);
}

/** Reads everything of the project anew, and what an act has looked at, too. */
function useReadAnew(): () => void {
  const { project } = useView();
  const queries = useQueryClient();
  const refresh = useRefresh();
  return () => {
    void refresh();
    void queries.invalidateQueries({ queryKey: [project, 'look'] });
  };
}

/** Masks them again, where they are shown. */
export function HidePersonal({ of }: { readonly of: string }) {
  const { project } = useView();
  const readAnew = useReadAnew();
  if (!useIsRevealed(of)) return null;
  const mask = () => {
    hide(project, of);
    readAnew();
  };
  return (
    <div>
      <Button onClick={mask}>Hide personal values</Button>
    </div>
  );
}

type RevealProps = { readonly player: string; readonly collection?: never } | { readonly collection: string; readonly player?: never };

/** Shows the personal values of a player or a collection, for a reason, and masks them again: where there are some, to whoever may. */
export function Reveal({ player, collection }: RevealProps) {
  const of = player ?? ofKind('collection', collection);
  const view = useView();
  const mayDo = useMay();
  const readAnew = useReadAnew();
  const isRevealed = useIsRevealed(of);
  const collections = useQuery({ ...collectionsQuery(view), enabled: mayDo('reveal', 'r') && mayDo('collections', 'r') });
  const shown = collections.data?.filter(({ id }) => collection === undefined || id === collection) ?? [];
  if (!mayDo('reveal', 'r') || !JSON.stringify(shown).includes('"_personal":true')) return null;
  if (isRevealed) return <HidePersonal of={of} />;
  return <RevealButton of={of} whose={player === undefined ? 'collection' : 'player'} again={readAnew} />;
}

/** Whether something was refused for want of a reason. */
export function isAskedWhy(error: unknown): boolean {
  return error instanceof Refused && error.refusal.code === 'REVEAL_NEEDED';
}

interface OrAskedProps extends AskWhyProps {
  readonly error: unknown;
}

/** What was refused; where that is for want of a reason, it is asked for here. */
export function FailedOrAsked({ error, ...asking }: OrAskedProps) {
  if (!isAskedWhy(error)) return <Failed error={error} again={asking.again} />;
  return (
    <Failed error={error}>
      <AskWhy {...asking} />
    </Failed>
  );
}
