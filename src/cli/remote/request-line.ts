import type { LoggedRequest } from '../../contract/answers.ts';
import { styled } from '../terminal.ts';
import { visible } from './words.ts';

/** A call or refused request as one line: `12:03:07  409 TOO_POOR  buy  3 ms  player 42  Not enough gold`. */
export function requestLine(request: LoggedRequest): string {
  const { at, slug, method, path, status, code, message, ms, platformId, target, requestId } = request;
  const outcome =
    code === null ? styled('green', `${status}`) : styled(status >= 500 ? ['red', 'bold'] : 'yellow', `${status} ${visible(code)}`);
  const parts = [
    styled('gray', clock(at)),
    outcome,
    styled('bold', visible(slug ?? `${method} ${path}`)),
    styled('gray', `${ms < 10 ? ms : Math.round(ms)} ms`),
    ...(target === 'next' ? [styled('magenta', 'next')] : []),
    ...(platformId === null ? [] : [`player ${visible(platformId)}`]),
    ...(message === null ? [] : [visible(message)]),
    ...(status >= 500 ? [styled('gray', visible(requestId))] : []),
  ];
  return parts.join('  ');
}

/** The time of day here, with the date unless it is today's. */
function clock(at: string): string {
  const time = new Date(at);
  const day = time.toDateString() === new Date().toDateString() ? '' : `${dateOf(time)} `;
  return `${day}${timeOfDay(time)}`;
}

function dateOf(time: Date): string {
  return [time.getFullYear(), time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

function timeOfDay(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
