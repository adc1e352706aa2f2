import { useMemo } from 'react';
import type { Health } from '../../api/health.ts';
import { Card, CardBody, Empty } from '../../parts/page.tsx';
import { Plot } from '../../parts/plot.tsx';
import type { PlotSeries } from '../../parts/plot-series.ts';
import { bytesText } from '../../words/bytes.ts';
import { millisText, shareText } from '../../words/health.ts';
import styles from './health.module.css';

type Piece = Health['day']['pieces'][number];

/** The last day, step by step. Where no process ran there is a gap. */
export function DayPlots({ day: { stepMs, pieces } }: { readonly day: Health['day'] }) {
  const { times, at } = useMemo(() => withGaps(pieces, stepMs), [pieces, stepMs]);
  const line = (name: string, colour: PlotSeries['colour'], of: (piece: Piece) => number | null): PlotSeries => ({
    name,
    colour,
    as: 'line',
    values: at.map((piece) => (piece === undefined ? null : of(piece))),
  });
  const plots: readonly { readonly name: string; readonly series: readonly PlotSeries[]; readonly said?: (value: number) => string }[] = [
    {
      name: 'Requests in five minutes',
      series: [
        line('all', 'accent', ({ requests }) => requests),
        line('refused', 'next', ({ refused }) => refused),
        line('failed', 'bad', ({ failed }) => failed),
      ],
    },
    {
      name: 'Time of a request',
      series: [line('half take less', 'accent', ({ p50 }) => p50), line('all but a hundredth', 'next', ({ p99 }) => p99)],
      said: millisText,
    },
    { name: 'Computing', series: [line('share of the time, of the busiest process', 'accent', ({ busy }) => busy)], said: shareText },
    { name: 'Memory', series: [line('all processes', 'accent', ({ memory }) => memory)], said: bytesText },
    { name: 'Revisions that read models lack', series: [line('at most', 'past', ({ behind }) => behind)] },
  ];
  return (
    <Card title="The last day">
      {pieces.length === 0 ? (
        <Empty title="Nothing was noted yet">The first point comes a quarter of a minute after a node has started.</Empty>
      ) : (
        <CardBody>
          <div className={styles.plots}>
            {plots.map(({ name, series, said }) => (
              <section key={name}>
                <h3>{name}</h3>
                {series.every(({ values }) => values.every((value) => (value ?? 0) === 0)) ? (
                  <p className={styles.none}>None all day</p>
                ) : (
                  <Plot name={name} times={times} series={series} along="moments" said={said} height={140} />
                )}
              </section>
            ))}
          </div>
        </CardBody>
      )}
    </Card>
  );
}

const DAY_MS = 86_400_000;

/** A time for every step of the day up to the last piece; steps without a piece are those in which nothing ran. */
function withGaps(
  pieces: readonly Piece[],
  stepMs: number,
): { readonly times: readonly number[]; readonly at: readonly (Piece | undefined)[] } {
  const known = new Map(pieces.map((piece) => [piece.at, piece]));
  const last = pieces.at(-1)?.at ?? 0;
  const steps = Math.round(DAY_MS / stepMs);
  const all = Array.from({ length: steps }, (_, step) => last - (steps - 1 - step) * stepMs);
  return { times: all.map((ms) => ms / 1000), at: all.map((ms) => known.get(ms)) };
}
