import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { throttled } from '../kernel/error-reporting.ts';
import { describeVerifier, serviceFault, type VerifierSettings } from '../outbound/verifier/create-verifier.ts';
import type { VerifierObserver } from '../outbound/verifier/guarded.ts';
import type { SentWebhooks } from '../outbound/webhooks.ts';

/** Tells the operator how services elsewhere answer: metrics, and the log when they fail. */

/** While a service fails, the log says so this often, ms. */
const EVERY_MS = 60_000;
const MAX_RECEIVERS = 1_000;

/** A metric by outcome, and lines in the log when the service fails and when it is back. */
export function observeVerifier(settings: VerifierSettings, registry: Registry, log: Logger): VerifierObserver {
  const verifications = new Counter({
    name: 'savepoint_verifications_total',
    help: 'Proofs of players that were judged, by outcome; unavailable and timeout: the service could not be asked',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const verifier = describeVerifier(settings);
  let isReported = false;
  const report = throttled((error: unknown) => {
    isReported = true;
    const problem = serviceFault(error);
    log.error({ verifier, problem }, 'the service that verifies players fails, and players who need it are refused');
  }, EVERY_MS);
  return {
    judged: (outcome) => verifications.inc({ outcome }),
    serviceFailed: report,
    serviceAnswered() {
      if (!isReported) return;
      isReported = false;
      log.info({ verifier }, 'the service that verifies players answers again');
    },
  };
}

/**
 * The same webhooks, with a metric by outcome, and a line in the log when one is not delivered. Of the address only the host is logged: its
 * path is the password of many chats.
 */
export function observeWebhooks(webhooks: SentWebhooks, registry: Registry, log: Logger): SentWebhooks {
  const posts = new Counter({
    name: 'savepoint_webhooks_total',
    help: 'Webhooks sent, by outcome; refused: the service answered an error; failed: it did not answer, or none was sent',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const reports = new LRUCache<string, (problem: string) => void>({ max: MAX_RECEIVERS });
  const report = (project: string, url: string, problem: string): void => {
    const { host } = new URL(url);
    const key = `${project} ${host}`;
    const known =
      reports.get(key) ?? throttled((text: string) => log.warn({ project, host, problem: text }, 'a webhook was not delivered'), EVERY_MS);
    reports.set(key, known);
    known(problem);
  };
  return {
    ...webhooks,
    async post(projectId, url, payload, timeoutMs) {
      const delivery = await webhooks.post(projectId, url, payload, timeoutMs);
      posts.inc({ outcome: delivery.ok ? 'delivered' : delivery.status === 0 ? 'failed' : 'refused' });
      if (!delivery.ok) report(projectId, url, delivery.error ?? `The service answered ${delivery.status}.`);
      return delivery;
    },
  };
}
