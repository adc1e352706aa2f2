import type { SecurityBlock } from '../../contract/resources/call.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { ProjectSettings } from '../project/settings.ts';
import { configVersion, expectedModes } from './config.ts';

/**
 * Refusals of calls that do not fit the project's security. The client takes over the expected modes from the answer and calls once more, so
 * everything that it needs is in it. The game must be able to read it.
 */

/** A client library sent a plain body. */
export function encryptionRequired(settings: ProjectSettings): Refusal {
  return mismatch('SECURITY_ENCRYPTION_REQUIRED', settings);
}

/**
 * A session token came although the project has sessions off. It is a mismatch for a client that believes them on; else `null`, and the plain
 * 403 AUTH_SESSION_DISABLED follows.
 */
export function sessionMismatch(settings: ProjectSettings, security: SecurityBlock | null): Refusal | null {
  if (settings.enableAuthSessions || security === null || security.authSessions !== 'enabled') return null;
  return mismatch('SECURITY_SESSION_DISABLED', settings);
}

function mismatch(code: 'SECURITY_ENCRYPTION_REQUIRED' | 'SECURITY_SESSION_DISABLED', settings: ProjectSettings): Refusal {
  const security = { configVersion: configVersion(settings), expected: expectedModes(settings) };
  return refusal(code, undefined, { forGame: true, error: { security } });
}
