import type { CallCursor, RequestFilter, ServedRequest, StoredRequest } from '../../app/app.ts';
import type { LoggedRequest } from '../../contract/answers.ts';
import { maskSecrets } from '../../kernel/secrets.ts';
import { isOwnRequestId } from '../exchange.ts';

/** What managers see of a request. */

/** The request as it is shown, under this id. Its texts hold no secrets any more. */
export function shown(id: string, masked: ServedRequest): LoggedRequest {
  const { at, slug, method, path, route, status, code, message, step, ms, platformId, target, requestId, revision } = masked;
  const seconds = { at: new Date(at).toISOString(), ms: Math.round(ms * 10) / 10 };
  return { id, ...seconds, slug, method, path, route, status, code, message, step, platformId, target, requestId, revision };
}

/** The request without secrets. */
export function masked(request: ServedRequest, mask: (text: string) => string = maskSecrets): ServedRequest {
  const { at, slug, method, path, route, status, code, message, step, ms, platformId, target, requestId, revision } = request;
  return {
    at,
    slug: slug === null ? null : mask(slug),
    method,
    path: mask(path),
    route,
    status,
    code: code === null ? null : mask(code),
    message: message === null ? null : mask(message),
    step: step === null ? null : mask(step),
    ms,
    platformId: platformId === null ? null : mask(platformId),
    target,
    requestId: isOwnRequestId(requestId) ? requestId : mask(requestId),
    revision,
  };
}

export function passes(filter: RequestFilter, request: ServedRequest): boolean {
  const { slug, platformId, errors, status, code, requestId, from, to } = filter;
  if (errors && request.code === null) return false;
  if (from !== null && request.at < from) return false;
  if (to !== null && request.at >= to) return false;
  const isAs = <T>(wanted: T | null, is: T | null) => wanted === null || wanted === is;
  return (
    isAs(slug, request.slug) &&
    isAs(platformId, request.platformId) &&
    isAs(status, request.status) &&
    isAs(code, request.code) &&
    isAs(requestId, request.requestId)
  );
}

/** The id of a stored request: its time and its place, which is a cursor. */
export function idOf({ at, seq }: StoredRequest): string {
  return `${at}.${seq}`;
}

/** The time and place in an id; `null`: it is no id of a stored request. */
export function cursorIn(id: string): CallCursor | null {
  const [, at, seq] = /^(\d{1,15})\.(\d{1,15})$/.exec(id) ?? [];
  return at === undefined ? null : { at: Number(at), seq: Number(seq) };
}
