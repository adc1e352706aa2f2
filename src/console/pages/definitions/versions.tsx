import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { definitionsQuery } from '../../api/definitions.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import type { DefinitionKind } from '../../words/definition.ts';
import { aroundChanges, type LinePair, linesBeside } from '../../words/line-diff.ts';
import styles from './definitions.module.css';

interface VersionsProps {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly a: string;
  /** Left out: now. */
  readonly b: string | undefined;
}

/** The texts of two moments beside one another. */
export function Versions({ kind, id, a, b }: VersionsProps) {
  const view = useView();
  const [one, other] = [
    useQuery(definitionsQuery({ ...view, at: a }, kind)),
    useQuery(definitionsQuery({ ...view, at: b ?? view.at }, kind)),
  ];
  const textOf = (read: typeof one) => read.data?.definitions.find((each) => each.id === id)?.text ?? '';
  const failed = one.error ?? other.error;
  return (
    <Card
      title={`After publish ${a}, and ${b === undefined ? 'now' : `after ${b}`}`}
      actions={
        <Link to="." search={(search: object) => ({ ...search, a: undefined, b: undefined })}>
          Back
        </Link>
      }
    >
      {(one.isPending || other.isPending) && failed === null && <Waiting what="both texts" />}
      {failed !== null && (
        <CardBody>
          <Failed error={failed} />
        </CardBody>
      )}
      {one.isSuccess && other.isSuccess && <Beside before={textOf(one)} after={textOf(other)} />}
    </Card>
  );
}

/** Lines that are shown. */
const MOST = 2000;

function Beside({ before, after }: { readonly before: string; readonly after: string }) {
  const [isWhole, setWhole] = useState(false);
  const pairs = useMemo(() => linesBeside(before, after), [before, after]);
  const shown = isWhole ? pairs : aroundChanges(pairs);
  if (pairs.every(({ isSame }) => isSame)) return <Empty title="The text is the same">What differs is not in the text.</Empty>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard scrolls what has the focus */}
      <section className={styles.beside} tabIndex={0} aria-label="Both texts">
        <table>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Line before</th>
              <th scope="col">Before</th>
              <th scope="col">Line after</th>
              <th scope="col">After</th>
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
      <CardBody>
        <Button isSmall onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Only what differs' : 'All lines'}
        </Button>
      </CardBody>
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
