import type { CallGroup, CallGroups, CallWindow, ServedRequest } from '../../app/app.ts';
import type { CallSummary } from '../../contract/answers.ts';
import { groupBy } from '../../kernel/group.ts';
import { maskSecrets } from '../../kernel/secrets.ts';

/** Requests of a window by endpoint and outcome. */

/** Most requests of each kind that are counted at once. */
export const MAX_GROUPED = 10_000;
/** Most endpoints and routes that are told. */
const MAX_ENDPOINTS = 200;
const MINUTE_MS = 60_000;

/** The same as {@link CallTable.groups} tells, of requests at hand. */
export function groupsOf(requests: readonly ServedRequest[]): readonly CallGroup[] {
  const keyOf = ({ slug, route, status, code, target }: ServedRequest) =>
    JSON.stringify([slug, slug === null ? route : null, status, code, target]);
  return [...groupBy(requests, keyOf).values()].map((alike): CallGroup => {
    const [{ slug, route, status, code, target }] = alike as [ServedRequest];
    const times = alike.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const p = (share: number) => times[Math.ceil(share * times.length) - 1] ?? 0;
    const last = Math.max(...alike.map(({ at }) => at));
    return { slug, route: slug === null ? route : null, status, code, target, requests: alike.length, p50: p(0.5), p95: p(0.95), last };
  });
}

/** What managers see of groups: endpoints and routes with their outcomes, the most frequent first. */
export function summaryOf(
  { groups, since }: CallGroups,
  window: CallWindow,
  target: ServedRequest['target'],
): Omit<CallSummary, 'ok' | 'missed' | 'partial'> {
  const from = { succeeded: since.succeeded ?? window.from, failed: since.failed ?? window.from };
  const minutesOf = (group: CallGroup) => Math.max(window.to - (isFailed(group) ? from.failed : from.succeeded), 1) / MINUTE_MS;
  const rateOf = (some: readonly CallGroup[]) =>
    rounded(
      some.reduce((rate, group) => rate + group.requests / minutesOf(group), 0),
      100,
    );
  const wanted = groups.filter((group) => group.target === target);
  const endpoints = [...groupBy(wanted, ({ slug, route }) => JSON.stringify([slug, route])).values()].map((of) => {
    const [{ slug, route }] = of as [CallGroup];
    const most = mostFrequent(of.filter((group) => !isFailed(group)))[0];
    return {
      slug: slug === null ? null : maskSecrets(slug),
      route,
      requests: sumOf(of),
      perMinute: rateOf(of),
      refused: sumOf(of.filter((group) => isFailed(group) && group.status < 500)),
      failed: sumOf(of.filter((group) => group.status >= 500)),
      p50: most === undefined ? null : rounded(most.p50, 10),
      p95: most === undefined ? null : rounded(most.p95, 10),
      last: instantOf(Math.max(...of.map(({ last }) => last))),
      codes: mostFrequent(of).map((group) => ({
        code: group.code === null ? null : maskSecrets(group.code),
        status: group.status,
        requests: group.requests,
        perMinute: rateOf([group]),
        p50: rounded(group.p50, 10),
        p95: rounded(group.p95, 10),
        last: instantOf(group.last),
      })),
    };
  });
  const counted = (kind: keyof typeof from) => ({
    requests: sumOf(groups.filter((group) => isFailed(group) === (kind === 'failed'))),
    from: instantOf(from[kind]),
  });
  return {
    from: instantOf(window.from),
    to: instantOf(window.to),
    counted: { succeeded: counted('succeeded'), failed: counted('failed') },
    endpoints: mostFrequent(endpoints).slice(0, MAX_ENDPOINTS),
    more: Math.max(0, endpoints.length - MAX_ENDPOINTS),
  };
}

function isFailed({ code, status }: CallGroup): boolean {
  return code !== null || status >= 400;
}

function sumOf(groups: readonly CallGroup[]): number {
  return groups.reduce((sum, { requests }) => sum + requests, 0);
}

function mostFrequent<Of extends { readonly requests: number }>(some: readonly Of[]): readonly Of[] {
  return some.toSorted((a, b) => b.requests - a.requests);
}

function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}

function instantOf(ms: number): string {
  return new Date(ms).toISOString();
}
