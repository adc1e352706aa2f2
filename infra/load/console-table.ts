import { quantile } from '../harness/numbers.ts';
import { BESIDE_CASES, STATES, type State, type Turn } from './console-beside.ts';
import type { Visit, Way } from './console-visits.ts';

/** What `bench:console` prints. */

/** A page is to be there after so many ms, in the middle of all times. */
export const BAR_MS = 300;

export interface PageResult {
  readonly name: string;
  /** Those that came about. */
  readonly visits: Readonly<Partial<Record<Way, readonly Visit[]>>>;
}

/** The middle of some numbers; `NaN` for none. */
function middle(values: readonly number[]): number {
  return values.length === 0
    ? Number.NaN
    : quantile(
        values.toSorted((one, other) => one - other),
        0.5,
      );
}

/** The least, the middle and the most of them. */
export function spread(values: readonly number[], digits = 0): string {
  if (values.length === 0) return '–';
  return [Math.min(...values), middle(values), Math.max(...values)].map((value) => value.toFixed(digits)).join(' ');
}

export function pageHead(ways: readonly Way[]): readonly string[] {
  return ['page', ...ways.flatMap((way) => [`${way}, ms`, ...(way === 'by a link' ? [] : ['first paint']), "page's CPU", "node's CPU"])];
}

/** A row for each page; a time over the bar is marked. */
export function pageRows(pages: readonly PageResult[], ways: readonly Way[]): readonly (readonly string[])[] {
  return pages.map((page) => [page.name, ...ways.flatMap((way) => wayCells(page.visits[way] ?? [], way))]);
}

function wayCells(visits: readonly Visit[], way: Way): readonly string[] {
  const times = visits.map(({ ms }) => ms);
  const rounded = (values: readonly (number | null)[], of: (known: readonly number[]) => number) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? '–' : of(known).toFixed(0);
  };
  return [
    `${spread(times)}${middle(times) > BAR_MS ? ' over' : ''}`,
    ...(way === 'by a link'
      ? []
      : [
          rounded(
            visits.map(({ paintedMs }) => paintedMs),
            middle,
          ),
        ]),
    rounded(
      visits.map(({ pageCpuMs }) => pageCpuMs),
      middle,
    ),
    // Known in steps of 10 ms.
    rounded(
      visits.map(({ nodeCpuMs }) => nodeCpuMs),
      mean,
    ),
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Pages over the bar, with how they were opened. */
export function over(pages: readonly PageResult[]): readonly string[] {
  return pages.flatMap(({ name, visits }) =>
    Object.entries(visits).flatMap(([way, times]) => (middle(times.map(({ ms }) => ms)) > BAR_MS ? [`${name} ${way}`] : [])),
  );
}

interface Figure {
  readonly name: string;
  readonly digits: number;
  of(turn: Turn): number | null;
}

const FIGURES: readonly Figure[] = [
  ...BESIDE_CASES.flatMap((name): readonly Figure[] => {
    const row = (turn: Turn) => turn.rows.find((one) => one.case === name);
    return [
      { name: `\`${name}\`: CPU of the node by bare Koa's`, digits: 2, of: (turn) => row(turn)?.cpuRatio ?? null },
      { name: `\`${name}\`: requests a second`, digits: 0, of: (turn) => row(turn)?.rps ?? null },
    ];
  }),
  { name: 'a small game: p50 ms', digits: 1, of: ({ even }) => even.p50Ms },
  { name: 'a small game: p99 ms', digits: 1, of: ({ even }) => even.p99Ms },
  { name: 'a small game: CPU of the node, ms a second', digits: 0, of: ({ even }) => even.nodeMsPerSecond },
];

export const BESIDE_HEAD = ['beside it', ...STATES, 'what serving them adds', 'what their browsers add'];

/** A row for each figure: the least, the middle and the most of the turns, and by how much one state differs from the one before. */
export function besideRows(turns: readonly Turn[]): readonly (readonly string[])[] {
  return FIGURES.map((figure) => {
    const of = (state: State) => turns.filter((turn) => turn.state === state).map((turn) => figure.of(turn) ?? Number.NaN);
    const [none, alone, all] = [of('no console'), of('their requests alone'), of('ten consoles')];
    return [
      figure.name,
      ...[none, alone, all].map((values) => spread(values.filter(Number.isFinite), figure.digits)),
      added(none, alone),
      added(alone, all),
    ];
  });
}

/** How much more `with` is than `without`, in the middle of the turns. */
export function added(without: readonly number[], wanted: readonly number[]): string {
  const parts = wanted.map((value, turn) => value / (without[turn] ?? Number.NaN) - 1).filter(Number.isFinite);
  if (parts.length === 0) return '–';
  const percent = Math.round(middle(parts) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${Math.abs(percent)} %`;
}
