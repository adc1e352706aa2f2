import type { Config } from '../../config/config.ts';
import { issuerOf } from '../console.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Whether people can sign in to the console at its issuer, if there is one. */
export async function checkIssuer(config: Config): Promise<readonly Finding[]> {
  const issuer = issuerOf(config, () => undefined);
  if (issuer === null || config.consoleListen === null) return [];
  const fault = await issuer.problem();
  const only = config.consolePasswords === 'off' ? ', no passwords' : '';
  if (fault === null) return [ok('sign-in', `at ${issuer.address}${only}`)];
  const cure =
    'Check CONSOLE_OIDC_ISSUER, and that this machine may reach it. Until then savepoint console link signs an owner in (docs/console.md).';
  return [warn('sign-in', `at ${issuer.address}${only}: ${fault}`, cure)];
}
