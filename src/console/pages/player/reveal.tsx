import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { collectionsQuery } from '../../api/queries.ts';
import { hide, reasonFor, reveal } from '../../api/reveal.ts';
import { useRefresh } from '../../frame/acting.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Why } from '../../parts/field.tsx';

/** Shows the personal values of a player for a reason, and masks them again. Only where the game has some, and for whoever may. */
export function Reveal({ player }: { readonly player: string }) {
  const view = useView();
  const mayDo = useMay();
  const refresh = useRefresh();
  const [isAsking, setAsking] = useState(false);
  const [, setShown] = useState(false);
  const collections = useQuery({ ...collectionsQuery(view), enabled: mayDo('reveal', 'r') && mayDo('collections', 'r') });
  if (!mayDo('reveal', 'r') || !JSON.stringify(collections.data ?? []).includes('"_personal":true')) return null;
  const change = (act: () => void, isShown: boolean) => {
    act();
    setShown(isShown);
    setAsking(false);
    void refresh();
  };
  if (reasonFor(view.project, player) !== undefined)
    return <Button onClick={() => change(() => hide(view.project, player), false)}>Hide personal values</Button>;
  return (
    <>
      <Button onClick={() => setAsking(true)}>Show personal values</Button>
      {isAsking && (
        <RevealDialog show={(reason) => change(() => reveal(view.project, player, reason), true)} close={() => setAsking(false)} />
      )}
    </>
  );
}

function RevealDialog({ show, close }: { readonly show: (reason: string) => void; readonly close: () => void }) {
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
      title="Show personal values?"
      sub="Of this player, on this page, for ten minutes. Each look is recorded with your name and the reason before you see it."
      close={close}
      foot={
        <>
          <Button onClick={close}>Leave them masked</Button>
          <Button look="main" disabled={reason === ''} onClick={() => show(said)}>
            Show them
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
