import type * as contract from '../../contract/answers.ts';
import { isProjectId } from '../../domain/project/keys.ts';
import { projectSettings } from '../../domain/project/settings.ts';
import { configVersion, securityConfig } from '../../domain/security/config.ts';
import { refusal } from '../../kernel/errors.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import type { AppContext } from '../context.ts';
import { catchUp } from './authenticate.ts';

/**
 * What clients are told of the project's security, signed. `fresh`: as of the end of the log, not of this node's head. Throws 404
 * SECURITY_CONFIG_NOT_FOUND for a project that does not exist.
 */
export type SecurityConfig = (projectId: string, ask: { readonly fresh: boolean }) => Promise<SecurityConfigAnswer>;

interface SecurityConfigAnswer {
  readonly version: string;
  readonly config: contract.SecurityConfig['config'];
}

/** How long a signature is reused, ms: anybody may ask, and signing is the most expensive work that an unknown caller can cause. */
const SIGNED_MS = 5_000;

interface SignedConfig {
  readonly config: contract.SecurityConfig['config'];
  /** By the monotonic clock. */
  readonly at: number;
}

/** The security configuration of a project. A disabled project has one too: it holds no secret. */
export function createSecurityConfig(context: AppContext): SecurityConfig {
  /** By the stored settings. They are another object after every change, so a change shows at once. */
  const signed = new WeakMap<JsonObject, SignedConfig>();

  return async (projectId, { fresh }) => {
    const project = isProjectId(projectId) ? (context.projects.peek(projectId) ?? (await context.projects.get(projectId))) : null;
    if (project && fresh) await catchUp(context, project);
    const authority = project?.authority;
    if (!project || !authority || authority.deleted) {
      throw refusal('SECURITY_CONFIG_NOT_FOUND', undefined, { body: { projectId, source: 'missing' } });
    }
    project.used();
    context.projects.freshness(project);
    const settings = projectSettings(authority.settings);
    const at = context.scheduler.monotonic();
    const known = signed.get(authority.settings);
    if (known && at - known.at < SIGNED_MS) return { version: configVersion(settings), config: known.config };
    const signer = await context.signer();
    const unsigned = securityConfig(projectId, settings, signer.signing, context.scheduler.now());
    const config: contract.SecurityConfig['config'] = { ...unsigned, signature: signer.sign(canonicalJson(unsigned)) };
    signed.set(authority.settings, { config, at });
    return { version: configVersion(settings), config };
  };
}
