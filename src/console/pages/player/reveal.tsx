import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectionsQuery } from '../../api/queries.ts';
import { ofKind, reveal } from '../../api/reveal.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { HidePersonal, RevealDialog, useIsRevealed, useReadAnew } from '../revealing.tsx';

type RevealProps = { readonly player: string; readonly collection?: never } | { readonly collection: string; readonly player?: never };

/** Shows the personal values of a player or a collection, for a reason, and masks them again: where there are some, to whoever may. */
export function Reveal({ player, collection }: RevealProps) {
  const of = player ?? ofKind('collection', collection);
  const view = useView();
  const mayDo = useMay();
  const readAnew = useReadAnew();
  const isRevealed = useIsRevealed(of);
  const [isAsking, setAsking] = useState(false);
  const collections = useQuery({ ...collectionsQuery(view), enabled: mayDo('reveal', 'r') && mayDo('collections', 'r') });
  const shown = collections.data?.filter(({ id }) => collection === undefined || id === collection) ?? [];
  if (!mayDo('reveal', 'r') || !JSON.stringify(shown).includes('"_personal":true')) return null;
  if (isRevealed) return <HidePersonal of={of} />;
  const show = (reason: string) => {
    reveal(view.project, of, reason);
    setAsking(false);
    readAnew();
  };
  return (
    <>
      <Button onClick={() => setAsking(true)}>Show personal values</Button>
      {isAsking && <RevealDialog whose={player === undefined ? 'collection' : 'player'} show={show} close={() => setAsking(false)} />}
    </>
  );
}
