import { usePrefetchQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { plotText, plotTime } from '../words/plot.ts';
import { classes } from './classes.ts';
import { Later } from './later.tsx';
import styles from './plot.module.css';
import { PLOT } from './plot-code.ts';
import type { PlotSeries } from './plot-series.ts';
import { useStanding } from './standing.ts';

/** Loads what draws plots while a page reads their numbers: they are drawn with what else comes of these. */
export function usePlotsAhead(): void {
  usePrefetchQuery(PLOT);
}

interface PlotProps {
  /** What it shows, as the heading of its table. */
  readonly name: string;
  /** Unix seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
  /** `days`: each time is a day in UTC. `moments`: times of the reader's own day. */
  readonly along: 'days' | 'moments';
  /** A value in words, such as `12 ms`. */
  readonly said?: (value: number) => string;
  /** Opens what stands behind a place, above or below 0. */
  readonly open?: (place: number, isAbove: boolean) => void;
  readonly height?: number;
  /** Times at which something happened that the page lists below, in Unix seconds, and what. The same array while they are the same. */
  readonly marks?: readonly number[];
  readonly marked?: string;
}

const NO_MARKS: readonly number[] = [];

/** Numbers over time. Readers of screens have the same as a table. */
export function Plot({ name, times, series, along, said = plotText, open, height = 200, marks = NO_MARKS, marked }: PlotProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  // The table has a row for each time.
  const isTold = useStanding();
  const place = pointed === null || pointed >= times.length ? null : pointed;
  return (
    <figure className={styles.figure} style={{ '--plot': `${height}px` } as React.CSSProperties}>
      <div className={styles.legend} aria-hidden="true">
        {series.map(({ name: of, colour, values }) => (
          <span key={of} className={styles.key}>
            <span className={styles.swatch} style={{ background: `var(--${colour})` }} />
            {of}
            <span className={styles.value}>{place === null ? '' : valueSaid(values[place], said)}</span>
          </span>
        ))}
        {marked !== undefined && marks.length > 0 && (
          <span className={styles.key}>
            <span className={styles.mark} />
            {marked}
          </span>
        )}
        <span className={styles.when}>{place === null ? '' : plotTime(times[place] ?? 0, along)}</span>
      </div>
      <div className={classes(styles.canvas, open !== undefined && styles.opens)} aria-hidden="true">
        <Later code={PLOT} props={{ times, series, along, height, said, point: setPointed, open, marks }} />
      </div>
      <figcaption className="visually-hidden">
        {isTold && <PlotTable name={name} times={times} series={series} along={along} said={said} />}
      </figcaption>
    </figure>
  );
}

function valueSaid(value: number | null | undefined, said: (value: number) => string): string {
  return value === null || value === undefined ? 'not known' : said(value);
}

type TableProps = Pick<PlotProps, 'name' | 'times' | 'series' | 'along'> & { readonly said: (value: number) => string };

const PlotTable = memo(function PlotTable({ name, times, series, along, said }: TableProps) {
  return (
    <table>
      <caption>{name}</caption>
      <thead>
        <tr>
          <th scope="col">{along === 'days' ? 'Day' : 'Time'}</th>
          {series.map(({ name: of }) => (
            <th key={of} scope="col">
              {of}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, place) => (
          <tr key={time}>
            <th scope="row">{plotTime(time, along)}</th>
            {series.map(({ name: of, values }) => (
              <td key={of}>{valueSaid(values[place], said)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
});
