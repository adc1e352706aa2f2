import { type ReactNode, useMemo, useState } from 'react';
import { aroundChanges, type LinePair, linesBeside } from '../words/line-diff.ts';
import styles from './beside.module.css';
import { Button } from './button.tsx';
import { CardBody } from './page.tsx';

/** Lines that are shown. */
const MOST = 2000;

interface BesideProps {
  /** What both are, for readers of screens. */
  readonly name: string;
  /** What the one and the other is called. */
  readonly sides: readonly [string, string];
  readonly before: string;
  readonly after: string;
  /** What is said where they do not differ. */
  readonly same: ReactNode;
}

/** Two texts beside one another, line by line, around what differs. */
export function Beside({ name, sides: [one, other], before, after, same }: BesideProps) {
  const [isWhole, setWhole] = useState(false);
  const pairs = useMemo(() => linesBeside(before, after), [before, after]);
  const shown = isWhole ? pairs : aroundChanges(pairs);
  if (pairs.every(({ isSame }) => isSame)) return same;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard scrolls what has the focus */}
      <section className={styles.beside} tabIndex={0} aria-label={name}>
        <table>
          <colgroup>
            <col className={styles.number} />
            <col />
            <col className={styles.number} />
            <col />
          </colgroup>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Line of {one}</th>
              <th scope="col">{one}</th>
              <th scope="col">Line of {other}</th>
              <th scope="col">{other}</th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, MOST).map((pair, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
              <PairRow key={place} pair={pair} />
            ))}
          </tbody>
        </table>
      </section>
      {shown.length > MOST && <CardBody>There are {shown.length - MOST} lines more.</CardBody>}
      {(isWhole || shown.includes(null)) && (
        <CardBody>
          <Button isSmall onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Only what differs' : 'All lines'}
          </Button>
        </CardBody>
      )}
    </>
  );
}

function PairRow({ pair }: { readonly pair: LinePair | null }) {
  if (pair === null)
    return (
      <tr className={styles.skipped}>
        <td colSpan={4}>…</td>
      </tr>
    );
  const { left, right, isSame } = pair;
  return (
    <tr data-same={isSame || undefined}>
      <td>{left?.number}</td>
      <td className={left === null || isSame ? undefined : styles.gone}>{left?.text}</td>
      <td>{right?.number}</td>
      <td className={right === null || isSame ? undefined : styles.came}>{right?.text}</td>
    </tr>
  );
}
