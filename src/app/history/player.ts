import type * as contract from '../../contract/answers.ts';
import { type Need, READ_DOCUMENTS } from '../../contract/credentials.ts';
import { PAGED_PARTS } from '../../contract/routes/player-page.ts';
import type { AccessKey } from '../../domain/states.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { refusal } from '../../kernel/errors.ts';
import { accessAt, hasNeed, requirePermissions, requireStorable } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { positioned, projectOf, viewsReached } from '../context.ts';
import { type AnswerOfPast, type HistoryContext, ofMoment, pastProject } from './moments.ts';
import { boardsOf } from './player-boards.ts';
import { documentsOf, slotsOf } from './player-data.ts';
import { guestPart, profileOf, reportsOf, sessionsPart } from './player-facts.ts';
import { flagsOf, windowsOf } from './player-limits.ts';
import { nameOf } from './player-name.ts';
import type { Looked, Shown } from './player-part.ts';

/**
 * One player on one page, of live. What the call log has of him is added by the transport, which keeps it. Throws 400 INVALID_REQUEST and
 * INVALID_PLATFORMID, 503 BEHIND, BUSY, and with `at` as `momentOf` does.
 */
export type ShowPlayer = (
  caller: Caller,
  player: string,
  query: PlayerQuery,
) => Promise<ManageAnswer<contract.PlayerPage> | (ManageAnswer<contract.PlayerPage> & AnswerOfPast)>;

type Part = contract.PlayerPage['leftOut'][number]['part'];

/** `null`: not said. */
interface PlayerQuery {
  readonly at: string | null;
  /** This part alone. */
  readonly part: Part | null;
  readonly after: string | null;
  readonly limit: number;
}

/** How a part of the page is read. */
interface PartKind {
  /** What a key or a person needs for it, besides the permission of the page. */
  readonly needs?: Need;
  /** Whether it can be read as of a moment. */
  readonly ofPast?: true;
  read(looked: Looked): Promise<Shown>;
}

const PARTS: Readonly<Record<Part, PartKind>> = {
  name: { ofPast: true, read: nameOf },
  profile: { read: profileOf },
  documents: { needs: READ_DOCUMENTS, ofPast: true, read: documentsOf },
  slots: { needs: READ_DOCUMENTS, ofPast: true, read: slotsOf },
  sessions: { read: sessionsPart },
  guest: { read: guestPart },
  windows: { read: windowsOf },
  flags: { needs: { scopes: ['rate_limits'], level: 'r' }, read: flagsOf },
  boards: { needs: { scopes: ['queries'], level: 'x' }, read: boardsOf },
  // Kept by the transport.
  calls: { read: async () => ({}) },
  reports: { read: reportsOf },
};
const ALL = Object.keys(PARTS) as readonly Part[];

const SCOPE = ['players'];
/** Pages that are made at a time over all projects, of which one may have half, and those of one project that may wait. */
const SLOTS = 4;
const MAX_WAITING = 32;

export function createShowPlayer(context: HistoryContext): ShowPlayer {
  const timeout = { ms: context.limits.commandMs, scheduler: context.scheduler };
  const pages = new Bulkhead({ slots: SLOTS, queue: MAX_WAITING, timeout });
  return async (caller, player, query) => {
    const project = await projectOf(context, caller);
    const now = accessAt(project, caller, 'live');
    requirePermissions(now.key, SCOPE, 'r');
    requireStorable(player);
    requireStorable(query.after);
    if (query.after !== null && !PAGED_PARTS.some((paged) => paged === query.part))
      throw refusal('INVALID_REQUEST', `\`after\` goes on with one \`part\`: ${PAGED_PARTS.join(', ')}`);
    return pages.run(
      project.id,
      async () => {
        const past = query.at === null ? null : await pastProject(context, caller, 'live', query.at);
        const reached = await viewsReached(context, project, 'documents', project.set.head);
        const { access, moment } = past ?? { access: now, moment: null };
        const readsDocuments = hasNeed(now.key, READ_DOCUMENTS);
        const looked = { context, project, access, player, readsDocuments, moment, after: query.after, limit: query.limit };
        const { leftOut, read } = chosen(query.part, now.key, moment !== null);
        const shown: Shown = {};
        for (const part of read) Object.assign(shown, await PARTS[part].read(looked));
        const then = moment === null ? null : ofMoment(moment);
        const at = then === null ? {} : { at: then.at };
        const result = { ok: true as const, player, ...at, ...shown, leftOut, links: linksOf(project.id, player) };
        return { ...(then ?? positioned(context, project, caller, reached)), result };
      },
      { onReject: busy },
    );
  };
}

/** Which parts are read, and why the others are not. */
function chosen(only: Part | null, key: AccessKey, isPast: boolean) {
  const who = key.kind === 'person' ? 'Your role' : 'The key';
  const leftOut: { readonly part: Part; readonly why: string }[] = [];
  const read: Part[] = [];
  for (const part of only === null ? ALL : [only]) {
    const { needs, ofPast } = PARTS[part];
    if (isPast && ofPast !== true) leftOut.push({ part, why: 'It is of now alone: leave `at` out' });
    else if (needs !== undefined && !hasNeed(key, needs))
      leftOut.push({ part, why: `${who} does not have ${needs.level} access to ${needs.scopes.join(', ')}` });
    else read.push(part);
  }
  return { leftOut, read };
}

function linksOf(projectId: string, player: string): Readonly<Record<string, string>> {
  const base = `/v3/manage/${encodeURIComponent(projectId)}`;
  const id = encodeURIComponent(player);
  return { commits: `${base}/commits?player=${id}`, explain: `${base}/explain/${id}`, restore: `${base}/players/${id}/restore` };
}

function busy(): Error {
  return refusal('BUSY', 'Too many pages of players of this project wait for each other; try again shortly');
}
