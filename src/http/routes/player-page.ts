import type { LoggedRequest, PlayerPage } from '../../contract/answers.ts';
import { playerPage } from '../../contract/routes/player-page.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** A player's page: what the log and its views know, and what the call log has. */
export function playerPageHandlers(services: Services): Handlers<typeof playerPage> {
  const { app } = services;
  return answering(services, playerPage, {
    async show({ caller, params: { player }, query }) {
      const answer = await app.showPlayer(caller, player, query);
      const isWanted = query.at === null && (query.part === null || query.part === 'calls');
      const calls = isWanted ? await callsOf(services, caller.projectId, player, query.limit) : {};
      const page = { ...answer.result, ...calls };
      if (isUnknown(page)) throw notFound('player', `Nothing is known of a player ${JSON.stringify(player.slice(0, 64))}`);
      return managed({ ...answer, result: page });
    },

    async timeline({ caller, params: { player }, query }) {
      const { callLog } = services;
      return managed(
        await app.showTimeline(caller, player, query, (filter, page) => callLog.read(caller.projectId, filter, { ...page, after: null })),
      );
    },
  });
}

async function callsOf(
  { callLog }: Services,
  project: string,
  player: string,
  limit: number,
): Promise<Pick<PlayerPage, 'calls' | 'refusals'>> {
  const filter = { platformId: player, slug: null, status: null, code: null, requestId: null, from: null, to: null };
  const page = { limit, cursor: null, after: null };
  const [all, refused] = await Promise.all([
    callLog.read(project, { ...filter, errors: false }, page),
    callLog.read(project, { ...filter, errors: true }, page),
  ]);
  const link = `/v3/manage/${encodeURIComponent(project)}/logs?${new URLSearchParams({ player })}`;
  return { calls: listed(all, link), refusals: listed(refused, `${link}&errors=true`) };
}

function listed({ requests, cursor }: { readonly requests: readonly LoggedRequest[]; readonly cursor: string | null }, link: string) {
  return { items: [...requests], ...(cursor === null ? {} : { more: `${link}&cursor=${encodeURIComponent(cursor)}` }), link };
}

/** Whether the whole page is empty, and nothing was left out of it. */
function isUnknown({ leftOut, profile, guest, accountOf, ...page }: PlayerPage): boolean {
  const parts = [page.documents, page.slots, page.sessions, page.windows, page.flags, page.calls, page.refusals, page.reports];
  if (leftOut.length > 0 || parts.includes(undefined) || profile !== null || guest !== null || accountOf !== undefined) return false;
  return parts.every((part) => part?.items.length === 0);
}
