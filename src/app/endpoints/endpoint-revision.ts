import { projectSettings } from '../../domain/project/settings.ts';
import {
  isBlocked,
  loadProfileBlock,
  type RevisionStatus,
  revisionIdOf,
  revisionMessage,
  revisionStatus,
  revisionStatusBody,
} from '../../domain/revision/status.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Caller } from '../caller.ts';
import type { AppContext } from '../context.ts';
import type { Project } from '../project/project.ts';
import type { EndpointAnswer, EndpointRequest } from './endpoint-request.ts';

/** What the game's revision means for its endpoint calls. */

/** The revision of the game: a published game sends it in a header and in the `security` block, and either one is enough. */
export function revisionOfCall(
  context: AppContext,
  project: Project,
  caller: Caller,
  { security }: EndpointRequest,
): RevisionStatus | null {
  const { authority } = project;
  if (caller.revision !== null || security === null || authority === null) return caller.revision;
  const client = { revision: revisionIdOf(security.revisionId), clientType: null };
  return revisionStatus(projectSettings(authority.settings), authority.gamePackage, client, context.scheduler.now());
}

/** The endpoint with which games load their player's profile, by convention. */
const LOAD_PROFILE = 'load-profile';

/** Adds the state of the game's revision to the answer or refusal. Members of these names that the endpoint set stay. `now` in unix ms. */
export async function withRevision(
  answer: Promise<EndpointAnswer>,
  revision: RevisionStatus,
  slug: string,
  now: number,
): Promise<EndpointAnswer> {
  const status = revisionStatusBody(revision);
  try {
    const given = await answer;
    if (!isObject(given.body)) return given;
    const block = slug === LOAD_PROFILE && given.status < 400 ? loadProfileBlock(revision, now) : null;
    const ours: JsonObject = block === null ? { _revisionStatus: status } : { revision: block, _revisionStatus: status };
    // Our members go last, and the endpoint's members of the same names win.
    return { ...given, body: { ...given.body, ...ours, ...given.body } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { extra } = error;
    throw new Refusal(error.status, error.code, error.message, { ...extra, body: { _revisionStatus: status, ...extra.body } });
  }
}

/** Refuses outdated games: all endpoints or only those that write, by the project's policy. The game must be able to read the reason. */
export function requireCurrent(revision: RevisionStatus, onlyReads: boolean): void {
  if (!isBlocked(revision, onlyReads ? 'read' : 'write')) return;
  throw refusal('REVISION_OUTDATED', revisionMessage(revision), { forGame: true });
}
