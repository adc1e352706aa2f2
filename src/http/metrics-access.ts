import { createHash, timingSafeEqual } from 'node:crypto';
import { refusal } from '../kernel/errors.ts';
import { isLoopback, type Received } from './client-address.ts';

/** Throws 401 or 403 for a request that may not read `/metrics`, and says what to do. */
export type MetricsGuard = (req: Received) => void;

/** Headers that a proxy on this machine adds. A request with one of them comes from another machine. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/** Allows this machine, if nothing was forwarded, and requests with the token. `token` null: this machine only. */
export function metricsGuard(token: string | null): MetricsGuard {
  const expected = token === null ? null : digest(token);
  return (req) => {
    if (isLocal(req)) return;
    if (expected === null)
      throw refusal('FORBIDDEN', 'Metrics are for this machine alone; METRICS_TOKEN or METRICS_PORT opens them to others');
    const sent = /^Bearer +(.+?) *$/i.exec(req.headers.authorization ?? '')?.[1];
    if (sent !== undefined && timingSafeEqual(digest(sent), expected)) return;
    throw refusal('UNAUTHORIZED', 'Metrics need `Authorization: Bearer` with the METRICS_TOKEN of this node', {
      challenge: 'Bearer',
    });
  };
}

/** For metrics on a port of their own. Without a token, everybody who reaches the port may read them. */
export function metricsPortGuard(token: string | null): MetricsGuard {
  return token === null ? () => undefined : metricsGuard(token);
}

function isLocal({ headers, socket }: Received): boolean {
  return isLoopback(socket.remoteAddress ?? '') && FORWARDED.every((name) => headers[name] === undefined);
}

/** A digest, because the comparison in constant time needs values of equal length. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
