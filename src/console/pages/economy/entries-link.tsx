import { Link } from '@tanstack/react-router';
import type { EntriesAsked } from '../../api/economy.ts';
import { useView } from '../../frame/view.ts';
import { amountText } from '../../words/amount.ts';
import { entriesTitle } from '../../words/entries.ts';
import styles from './economy.module.css';

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

interface SumLinkProps {
  readonly asked: EntriesAsked;
  readonly sum: unknown;
  /** As it is shown; left out: as other amounts. */
  readonly text?: string;
}

/** What entries come to, which it opens. A nought opens nothing. */
export function SumLink({ asked, sum, text = amountText(sum) }: SumLinkProps) {
  const { project } = useView();
  if (amountText(sum) === '0') return text;
  return (
    <Link
      to="/p/$project/economy/entries"
      params={{ project }}
      search={{ ...asked }}
      className={styles.sum}
      title={`The ${entriesTitle(asked)}`}
    >
      {text}
    </Link>
  );
}
