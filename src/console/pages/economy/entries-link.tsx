import { Link } from '@tanstack/react-router';
import type { EntriesAsked } from '../../api/economy.ts';
import { useView } from '../../frame/view.ts';
import { amountText } from '../../words/amount.ts';
import { entriesTitle } from '../../words/economy.ts';

/** How many entries there are, which it opens. */
export function EntriesLink({ asked, count }: { readonly asked: EntriesAsked; readonly count: number }) {
  const { project } = useView();
  return (
    <Link
      to="/p/$project/economy/entries"
      params={{ project }}
      search={{ ...asked }}
      aria-label={`${amountText(count)} ${entriesTitle(asked)}`}
    >
      {amountText(count)}
    </Link>
  );
}
