import { amountText } from './amount.ts';

/** How an installation fares, in words. */

export function millisText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 || ms === 0 ? Math.round(ms) : ms.toFixed(1)} ms`;
}

export function shareText(share: number): string {
  const percent = share * 100;
  return `${percent >= 10 || percent === 0 ? Math.round(percent) : percent.toFixed(1)} %`;
}

/** Requests in a second, from a stretch of time that may be short. */
export function rateText(requests: number, ms: number): string {
  const rate = requests / Math.max(1, ms / 1000);
  return rate >= 10 ? String(Math.round(rate)) : rate.toFixed(1);
}

interface Fares {
  readonly status: string;
  readonly behind: number | null;
}

/** What a status of a node means for players. */
export function statusText({ status, behind }: Fares): { readonly title: string; readonly means: string; readonly isGood: boolean } {
  if (status === 'ready')
    return { title: 'All is well', means: 'Requests are served, and the pages show all that is in the log.', isGood: true };
  if (status === 'catching-up')
    return {
      title: 'Catching up',
      means: `${behind === null ? 'Some projects are' : behind === 1 ? 'One project is' : `${behind} projects are`} behind the log: reads may be old, writes are safe.`,
      isGood: false,
    };
  if (status === 'log-unavailable')
    return { title: 'The log does not answer', means: 'Nothing can be written; what was written is safe. Reads go on.', isGood: false };
  return {
    title: 'The database does not answer',
    means: 'Nothing can be read or written until it does; what was written is safe.',
    isGood: false,
  };
}

/** What a number of revisions behind means. */
export function behindText(behind: number): string {
  return behind === 0 ? 'up to date' : `${amountText(behind)} behind`;
}

/** How long a process runs. */
export function runningFor(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
