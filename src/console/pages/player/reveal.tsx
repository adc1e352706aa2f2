import { useQuery } from '@tanstack/react-query';
import { collectionsQuery } from '../../api/queries.ts';
import { ofKind } from '../../api/reveal.ts';
import { useMay, useView } from '../../frame/view.ts';
import { HidePersonal, RevealButton, useIsRevealed, useReadAnew } from '../revealing.tsx';

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
