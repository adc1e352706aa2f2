import { useEffect, useLayoutEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { lonePlaces, plotLabels, plotTick } from '../words/plot.ts';
import type { PlotSeries } from './plot-series.ts';

interface DrawnProps {
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
  readonly along: 'days' | 'moments';
  readonly height: number;
  readonly said: (value: number) => string;
  readonly point: (place: number | null) => void;
  readonly open: ((place: number, isAbove: boolean) => void) | undefined;
  readonly marks: readonly number[];
}

/** Room for the numbers beside the axis, and for the times below. */
const Y_AXIS = 58;
const X_AXIS = 28;
const BAR_WIDTH = 0.7;
const MAX_BAR = 48;

/** The picture of a plot. Nothing in it moves, and its colours are those of the page, also when these change. */
export function DrawnPlot({ times, series, along, height, said, point, open, marks }: DrawnProps) {
  const box = useRef<HTMLDivElement>(null);
  const act = useRef({ point, open, said });
  act.current = { point, open, said };
  const width = useRef(0);
  // Before any plot of the page is made: each that is would have the page laid out for the next one.
  useLayoutEffect(() => {
    width.current = box.current?.clientWidth ?? 0;
  }, []);
  useEffect(() => {
    const { current: parent } = box;
    if (parent === null) return;
    const plot = new UPlot(
      optionsOf({ series, along, height, marks, width: width.current, isOne: times.length === 1 }, act),
      dataOf(times, series),
      parent,
    );
    const resized = new ResizeObserver(() => {
      if (parent.clientWidth === width.current) return;
      width.current = parent.clientWidth;
      plot.setSize({ width: width.current, height });
    });
    resized.observe(parent);
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => plot.redraw(false);
    scheme.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [times, series, along, height, marks]);
  return <div ref={box} />;
}

function dataOf(times: readonly number[], series: readonly PlotSeries[]): UPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])];
}

interface Drawing extends Pick<DrawnProps, 'series' | 'along' | 'height' | 'marks'> {
  readonly width: number;
  /** A single point needs room on both sides of it. */
  readonly isOne: boolean;
}

function optionsOf(
  { series, along, height, width, isOne, marks }: Drawing,
  act: { readonly current: Pick<DrawnProps, 'point' | 'open' | 'said'> },
): UPlot.Options {
  const hasBars = series.some(({ as }) => as === 'bars');
  const font = `12px ${token('sans')}`;
  const axis = { stroke: () => token('text-soft'), font, grid: { stroke: () => token('line'), width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    ...(along === 'days' ? { tzDate: (time) => UPlot.tzDate(new Date(time * 1000), 'Etc/UTC') } : {}),
    padding: [8, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !hasBars } },
    scales: {
      x: { range: (_, min, max) => rangeOf(min, max, { hasBars, isOne }) },
      y: { range: (_, min, max) => heightsOf(min, max, hasBars) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: X_AXIS,
        space: 64,
        values: (_, splits, _axis, _space, step) => splits.map((time) => plotTick(time, step, along)),
      },
      { ...axis, size: Y_AXIS, values: (_, splits) => plotLabels(splits, act.current.said) },
    ],
    series: [
      {},
      ...series.map(({ name, colour, as }) => ({
        label: name,
        stroke: () => token(colour),
        ...(as === 'bars'
          ? { fill: () => token(colour), width: 0, paths: UPlot.paths.bars?.({ size: [BAR_WIDTH, MAX_BAR] }), points: { show: false } }
          : { width: 2, points: loneOf(colour) }),
      })),
    ],
    hooks: {
      draw: [(plot) => drawMarks(plot, marks)],
      setCursor: [({ cursor }) => act.current.point(cursor.idx ?? null)],
      ready: [
        (plot) =>
          plot.over.addEventListener('click', ({ offsetY }) => {
            const { idx } = plot.cursor;
            if (idx !== null && idx !== undefined) act.current.open?.(idx, offsetY <= plot.valToPos(0, 'y'));
          }),
      ],
    },
  };
}

/** A line from top to bottom at each of the times. */
function drawMarks(plot: UPlot, marks: readonly number[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = token('next');
  ctx.lineWidth = Math.max(1, window.devicePixelRatio);
  ctx.setLineDash([4 * window.devicePixelRatio, 3 * window.devicePixelRatio]);
  for (const time of marks) {
    const left = plot.valToPos(time, 'x', true);
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** A line alone would not show a value that no other is beside. */
function loneOf(colour: PlotSeries['colour']): UPlot.Series.Points {
  return { show: false, filter: (plot, place) => lonePlaces([...(plot.data[place] ?? [])]), fill: () => token(colour) };
}

const DAY = 86_400;

/**
 * Bars stand around their time, and need half a step of room at both ends. Of a single time uPlot takes one a thousand days later for the
 * last.
 */
function rangeOf(min: number, max: number, { hasBars, isOne }: { readonly hasBars: boolean; readonly isOne: boolean }): [number, number] {
  if (isOne) return [min - DAY, min + DAY];
  const room = hasBars ? DAY / 2 : 0;
  return [min - room, max + room];
}

/** Bars begin at 0. A line has its own room, and 0 where it is near. */
function heightsOf(min: number, max: number, hasBars: boolean): [number, number] {
  const low = hasBars || min >= 0 ? Math.min(min, 0) : min;
  const high = Math.max(max, hasBars ? 0 : low);
  const room = (high - low || 1) * 0.06;
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
}

/** What a token is now: the scheme may have changed since. */
function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
