import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Delivery, Webhooks } from '../app/ports/webhooks.ts';
import { WEBHOOK_PREFIXES } from '../domain/wire-names.ts';
import { Bulkhead } from '../kernel/bulkhead.ts';
import { stringifyJson } from '../kernel/json.ts';
import { publicOnly } from './public-only.ts';

/** Most concurrent webhooks of this process: one slow service must not use up its sockets. Projects share them. */
export const MAX_WEBHOOKS = 64;
const MAX_ERROR = 500;
/** A service that decodes these would see other segments than the ones that were compared. */
const ENCODED_SLASH = /%(?:2f|5c)/i;

/** Webhooks, some of which nobody awaits. `settled` resolves when all of them have ended. */
export interface SentWebhooks extends Webhooks {
  settled(): Promise<void>;
}

/**
 * `configured`: allowed prefixes of addresses, each with a path; `null`: the default ones. An address is compared in the form in which it
 * will be requested, so `..` and user names cannot evade the check. Redirects are not followed. A name that resolves to a private address
 * is refused. A numeric address or `localhost` is allowed if a prefix names it, because the operator set that.
 */
export function createWebhooks(configured: readonly string[] | null, shares = new Bulkhead({ slots: MAX_WEBHOOKS })): SentWebhooks {
  const prefixes = configured ?? WEBHOOK_PREFIXES;
  const underWay = new Set<Promise<number>>();
  return {
    isAllowed(url) {
      if (!URL.canParse(url)) return false;
      const { href, pathname, username, password } = new URL(url);
      if (username !== '' || password !== '' || ENCODED_SLASH.test(pathname)) return false;
      return prefixes.some((prefix) => href.startsWith(prefix));
    },
    async post(projectId, url, payload, timeoutMs) {
      if (!shares.tryAcquire(projectId)) return failed('Too many webhooks of this project are under way.');
      try {
        const sending = send(new URL(url), stringifyJson(payload), timeoutMs);
        underWay.add(sending);
        const status = await sending.finally(() => underWay.delete(sending));
        return status >= 200 && status < 300 ? { ok: true, status } : { ok: false, status, error: `The service answered ${status}.` };
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      } finally {
        shares.release(projectId);
      }
    },
    async settled() {
      await Promise.allSettled(underWay);
    },
  };
}

function failed(error: string): Delivery {
  return { ok: false, status: 0, error: error.slice(0, MAX_ERROR) };
}

/**
 * Sends a webhook. Resolves to the status of the answer, whose body is not read. Each webhook has a connection of its own, because they are
 * rare.
 */
function send(url: URL, text: string, timeoutMs: number): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) };
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const guard = url.hostname === 'localhost' || isIP(url.hostname) !== 0 ? {} : { lookup: publicOnly };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = open(url, { method: 'POST', headers, agent: false, signal, ...guard }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', (error) => reject(signal.aborted ? new Error(`No answer within ${timeoutMs} ms.`) : error));
    request.end(text);
  });
}
