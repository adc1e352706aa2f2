import { failure, type Result, SavepointError, success } from './errors.ts';
import type { ClientOptions } from './options.ts';
import type { ApiRequest, Settings } from './request.ts';
import { secretOf } from './secret-shapes.ts';

/** Addresses of requests: which server, which path. */

/** Why a text is no address; `null`: it is one. `name`: the option that holds it. */
export function addressError(name: string, url: string): SavepointError | null {
  if (/^https?:$/.test(urlOrNull(url)?.protocol ?? '')) return null;
  return new SavepointError('INVALID_ARGUMENT', `\`${name}\`: "${url}" is no address of a server: it begins with https:// or http://`);
}

/** A relative URL is resolved against the page: a page may name its own server by a path. */
export function urlOrNull(url: string): URL | null {
  try {
    return new URL(url, (globalThis as { readonly location?: { readonly href: string } }).location?.href);
  } catch {
    return null;
  }
}

/** Address and version, with which every URL begins. */
export function rootOf(url: string, { apiVersion = 'v3' }: ClientOptions): string {
  return `${serverOf(url)}/${apiVersion}`;
}

function serverOf(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Whether `cdnUrl` may be asked: for live documents, by a client without a secret key. Such a request carries the public key alone. */
export function isForCdn(settings: Settings, { isDocument }: ApiRequest): boolean {
  return isDocument === true && Boolean(settings.cdnUrl) && settings.publishTarget !== 'next' && !secretOf(settings);
}

/** The whole address of a request at `url`. */
export function addressOf(url: string, settings: Settings, { family, path, query = {} }: ApiRequest): Result<string> {
  // An empty or dotted segment would change the path when the URL is normalised.
  const wrong = path.findIndex((part) => typeof part !== 'string' || ['', '.', '..'].includes(part));
  if (wrong !== -1) return failure('INVALID_ARGUMENT', `"${path[wrong]}" cannot be part of an address`);
  const parameters = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]);
  });
  const text = new URLSearchParams(parameters).toString();
  const project = family === 'server-info' ? [] : [settings.projectId];
  // Pages have no version: people open them.
  const root = family === 'pages' ? serverOf(url) : rootOf(url, settings);
  const address = [root, family, ...project, ...path.map(encodeURIComponent)].join('/');
  return success(text === '' ? address : `${address}?${text}`);
}
