import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { throttled } from '../kernel/error-reporting.ts';
import { describeVerifier, serviceFault, type VerifierSettings } from '../outbound/verifier/create-verifier.ts';
import type { VerifierObserver } from '../outbound/verifier/guarded.ts';

/** While a service is away, the log says so this often, ms. */
const EVERY_MS = 60_000;

/** Tells the operator about verifications of players: a metric by outcome, and the log when the service fails and when it is back. */
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
