import type { SecurityBlock } from '../../contract/resources/call.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { ProjectSettings } from '../project/settings.ts';
import { configVersion, expectedModes } from './config.ts';

/**
 * Refusals of calls that do not fit the project's security. The client takes the expected modes from the answer and repeats its call, so
 * the answer holds all that it needs, in a form that games can read.
 */

/** A client library sent a plain body. */
export function encryptionRequired(settings: ProjectSettings): Refusal {
  return mismatch('SECURITY_ENCRYPTION_REQUIRED', settings);
}

/**
 * The refusal of a session token in a project without sessions. It is a mismatch only if the client's `security` block says that sessions
 * are on. Else `null`: the caller answers with the plain 403 AUTH_SESSION_DISABLED.
 */
export function sessionMismatch(settings: ProjectSettings, security: SecurityBlock | null): Refusal | null {
  if (settings.enableAuthSessions || security === null || security.authSessions !== 'enabled') return null;
  return mismatch('SECURITY_SESSION_DISABLED', settings);
}

function mismatch(code: 'SECURITY_ENCRYPTION_REQUIRED' | 'SECURITY_SESSION_DISABLED', settings: ProjectSettings): Refusal {
  const security = { configVersion: configVersion(settings), expected: expectedModes(settings) };
  return refusal(code, undefined, { forGame: true, error: { security } });
}
