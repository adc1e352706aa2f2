import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { collectionsQuery } from '../../api/queries.ts';
import { hide, ofCollection, ofQuery, reasonFor, reveal } from '../../api/reveal.ts';
import { useRefresh } from '../../frame/acting.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Why } from '../../parts/field.tsx';

type RevealProps =
  | { readonly player: string; readonly collection?: never; readonly query?: never }
  | { readonly collection: string; readonly player?: never; readonly query?: never }
  /** A leaderboard that is refused without a reason. */
  | { readonly query: string; readonly player?: never; readonly collection?: never };

/**
 * Shows the personal values of a player, a collection or a leaderboard, for a reason, and masks them again. Only where the game has some,
 * and for whoever may.
 */
export function Reveal({ player, collection, query }: RevealProps) {
  const whose = player ?? (query === undefined ? ofCollection(collection) : ofQuery(query));
  const view = useView();
  const mayDo = useMay();
  const refresh = useRefresh();
  const [isAsking, setAsking] = useState(false);
  const [, setShown] = useState(false);
  const collections = useQuery({
    ...collectionsQuery(view),
    enabled: query === undefined && mayDo('reveal', 'r') && mayDo('collections', 'r'),
  });
  const shown = collections.data?.filter(({ id }) => collection === undefined || id === collection) ?? [];
  const isPersonal = query !== undefined || JSON.stringify(shown).includes('"_personal":true');
  if (!mayDo('reveal', 'r') || !isPersonal) return null;
  const change = (act: () => void, isShown: boolean) => {
    act();
    setShown(isShown);
    setAsking(false);
    void refresh();
  };
  if (reasonFor(view.project, whose) !== undefined)
    return <Button onClick={() => change(() => hide(view.project, whose), false)}>Hide personal values</Button>;
  return (
    <>
      <Button onClick={() => setAsking(true)}>Show personal values</Button>
      {isAsking && (
        <RevealDialog
          whose={player !== undefined ? 'player' : query === undefined ? 'collection' : 'leaderboard'}
          show={(reason) => change(() => reveal(view.project, whose, reason), true)}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}

interface RevealDialogProps {
  /** `value`: whether somebody has it. */
  readonly whose: 'player' | 'collection' | 'leaderboard' | 'value';
  readonly show: (reason: string) => void;
  readonly close: () => void;
}

/** Asks why personal values are to be shown. */
export function RevealDialog({ whose, show, close }: RevealDialogProps) {
  const [why, setWhy] = useState({ reason: '', ticket: '' });
  const reason = why.reason.trim();
  const ticket = why.ticket.trim();
  const said = (ticket === '' ? reason : `${reason} (ticket ${ticket})`).slice(0, 256);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== '') show(said);
  };
  return (
    <Dialog
      title={whose === 'value' ? 'Look among personal values?' : 'Show personal values?'}
      sub={`${whose === 'value' ? 'For this value' : `Of this ${whose}`}, on this page, for ten minutes. Each look is recorded with your name and the reason before you see it.`}
      close={close}
      foot={
        <>
          <Button onClick={close}>{whose === 'value' ? 'Do not look' : 'Leave them masked'}</Button>
          <Button look="main" disabled={reason === ''} onClick={() => show(said)}>
            {whose === 'value' ? 'Look' : 'Show them'}
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
