import { type Members, objectOf } from './value.ts';

/** Calls as a page tells them: windows of time, filters in the address, where a call was refused. */

export const SPANS = [
  { value: '15m', name: 'Last 15 minutes', ms: 15 * 60_000 },
  { value: '1h', name: 'Last hour', ms: 3_600_000 },
  { value: '1d', name: 'Last day', ms: 86_400_000 },
  { value: '7d', name: 'Last week', ms: 7 * 86_400_000 },
] as const;

export type Span = (typeof SPANS)[number]['value'];

const HOUR = SPANS[1];

export function spanMs(span: Span | undefined): number {
  return (SPANS.find(({ value }) => value === span) ?? HOUR).ms;
}

export function spanIn(text: string | undefined): Span | undefined {
  return SPANS.find(({ value }) => value === text)?.value;
}

/** How far back the numbers of a window reach, where that is less than the window; `null`: all of it is counted. */
export function shorterReach({ from, counted }: { readonly from: string; readonly counted: Counted }): Reach | null {
  const { succeeded, failed } = counted;
  const late = (kind: { readonly from: string }) => (kind.from === from ? null : kind.from);
  const reach = { succeeded: late(succeeded), failed: late(failed) };
  return reach.succeeded === null && reach.failed === null ? null : reach;
}

interface Counted {
  readonly succeeded: { readonly from: string };
  readonly failed: { readonly from: string };
}

interface Reach {
  readonly succeeded: string | null;
  readonly failed: string | null;
}

/** A rate as people read it. */
export function rateText(perMinute: number): string {
  if (perMinute >= 60) return `${Math.round(perMinute / 6) / 10}/s`;
  if (perMinute >= 1) return `${Math.round(perMinute * 10) / 10}/min`;
  const perHour = Math.round(perMinute * 600) / 10;
  return perHour === 0 ? 'rare' : `${perHour}/h`;
}

/** What was called, or what else the call log tells. */
export function calledText({
  slug,
  method,
  path,
}: {
  readonly slug: string | null;
  readonly method: string;
  readonly path: string;
}): string {
  return slug ?? (method === RAISED ? 'An alarm was raised' : `${method} ${path}`);
}

/** Whether the console, the command line or a server asked for it: no client of a player does. */
export function isOfManagers(address: string | null): boolean {
  return /^(?:[A-Z]+ )?\/v\d+\/manage\//.test(address ?? '');
}

interface Counts {
  readonly route: string | null;
  readonly failed: number;
}

/** Whether nothing of it is a matter of the game: somebody in the console asked for what is not there, and no server failed. */
export function isOnlyOfManagers({ route, failed }: Counts): boolean {
  return isOfManagers(route) && failed === 0;
}

/** In place of the method: the node itself says it. */
const RAISED = 'ALARM';

export function msText(ms: number | null): string {
  if (ms === null) return '–';
  return ms >= 100 ? `${Math.round(ms)} ms` : `${ms} ms`;
}

/** Why a call is refused, as the game tells it, and by which code; `null`: it is not. */
export function refusalSaid({ result }: { readonly result?: { readonly ok: boolean; readonly status: number; readonly body: unknown } }) {
  if (result?.ok === true) return null;
  const error = objectOf(objectOf(result?.body)['error']);
  const { message, code } = error;
  return {
    why: typeof message === 'string' && message !== '' ? message : 'It says no more.',
    code: typeof code === 'string' ? code : '',
  };
}

/** How a name begins that is looked for by what stands for a player; empty: none, because it is an id of digits, or one of `offered`. */
export function nameSought(typed: string, offered: readonly string[]): string {
  const name = typed.trim();
  return /^\D\S/.test(name) && !offered.includes(name) ? name : '';
}

/** Deeper steps are not looked for. */
const MAX_DEPTH = 12;

/**
 * The step of a definition that a path such as `pay > charge > enough` ends with, as it is written; `null`: it is in what the endpoint
 * calls.
 */
export function stepOf(definition: unknown, path: string): Members | null {
  const name = path.split(' > ').at(-1) ?? path;
  return stepsIn(definition, 0).find(({ id }) => id === name) ?? null;
}

/** Members of a step that say how it refuses, and those of these that hold the code. */
const REFUSALS = ['onFail', 'onMissing', 'error', 'errorCode'];
const CODES = ['error', 'errorCode', 'code'];

/** The one step that refuses with this code, as it is written; `null`: none does, or several. */
export function stepRefusing(definition: unknown, code: string): Members | null {
  const steps = stepsIn(definition, 0).filter((step) => REFUSALS.some((name) => holdsCode(step[name], code)));
  return steps.length === 1 ? (steps[0] ?? null) : null;
}

function holdsCode(refusal: unknown, code: string): boolean {
  return refusal === code || (typeof refusal === 'object' && refusal !== null && CODES.some((name) => (refusal as Members)[name] === code));
}

function stepsIn(value: unknown, depth: number): readonly Members[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  const own = value as Members;
  const isStep = depth > 0 && typeof own['id'] === 'string' && typeof own['type'] === 'string';
  return [...(isStep ? [own] : []), ...Object.values(own).flatMap((member) => stepsIn(member, depth + 1))];
}

/** Members of steps that say what must hold, in the order in which they count. */
const CONDITIONS = ['check', 'condition', 'expression', 'when'];

/** The condition of a step as it is written; `null`: it has none. */
export function conditionOf(step: Members): string | null {
  const value = CONDITIONS.map((name) => step[name]).find((each) => each !== undefined);
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
