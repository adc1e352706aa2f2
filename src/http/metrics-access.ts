import { createHash, timingSafeEqual } from 'node:crypto';
import { refusal } from '../kernel/errors.ts';
import { isLoopback, type Received } from './client-address.ts';

/** Who may read `/metrics`, and who not: throws 401 or 403 with what to do. */
export type MetricsGuard = (req: Received) => void;

/** What a proxy on this machine adds to what it forwards: then its client is not this machine. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/** This machine, where nothing was forwarded, and whoever has the token. `token` null: this machine alone. */
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

/** Of a port of their own: whoever reaches it, as long as there is no token. */
export function metricsPortGuard(token: string | null): MetricsGuard {
  return token === null ? () => undefined : metricsGuard(token);
}

function isLocal({ headers, socket }: Received): boolean {
  return isLoopback(socket.remoteAddress ?? '') && FORWARDED.every((name) => headers[name] === undefined);
}

/** Equal in length, which the comparison in constant time asks for. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
