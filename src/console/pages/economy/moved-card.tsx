import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue } from 'react';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { Toggles } from '../../parts/toggles.tsx';
import { CsvButton } from './csv-button.tsx';
import styles from './economy.module.css';

interface Moved<Row> {
  readonly rows: readonly Row[];
  readonly revision: number;
  readonly isCut: boolean;
}

/** What was read for a table that stands below the plots: it is drawn once these are. */
export function useBelow<Row>(read: UseQueryResult<Moved<Row>>): Moved<Row> | undefined {
  return useDeferredValue(read.data, undefined);
}

interface MovedProps<Row, Choice extends string> {
  readonly title: string;
  readonly currency: string;
  /** Ways to look at it, of which one is chosen. */
  readonly choices: readonly (readonly [choice: Choice, said: string])[];
  readonly chosen: Choice;
  readonly choose: (choice: Choice) => void;
  readonly read: UseQueryResult<Moved<Row>>;
  /** What of it is drawn; left out: nothing yet. */
  readonly data: Moved<Row> | undefined;
  readonly csv: {
    readonly what: string;
    readonly name: string;
    readonly head: readonly string[];
    readonly row: (row: Row) => readonly unknown[];
  };
  /** Said where nothing moved. */
  readonly empty: string;
  /** Said where there are more rows than are shown. */
  readonly cut: ReactNode;
  /** The table of the rows. */
  readonly children: ReactNode;
}

/** A table of what moved in some days, with ways to look at it and a file of its rows. */
export function MovedCard<Row, Choice extends string>(props: MovedProps<Row, Choice>) {
  const { title, currency, choices, chosen, choose, read, data, csv, empty, cut, children } = props;
  const rows = data?.rows ?? [];
  return (
    <Card
      title={title}
      actions={
        <span className={styles.heads}>
          <Toggles choices={choices} chosen={chosen} choose={choose} />
          {data !== undefined && rows.length > 0 && (
            <CsvButton
              what={csv.what}
              name={['economy', currency, csv.name]}
              revision={data.revision}
              head={csv.head}
              rows={() => rows.map(csv.row)}
            />
          )}
        </span>
      }
    >
      {data === undefined && !read.isError && <Waiting what={title} />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {data?.rows.length === 0 && <Empty title={empty}>Choose other days above.</Empty>}
      {rows.length > 0 && children}
      {data?.isCut === true && <CardBody>{cut}</CardBody>}
    </Card>
  );
}
