import type * as contract from '../../contract/answers.ts';
import { deviceIdOf } from '../../domain/guest/token.ts';
import { guestNameSubject } from '../../domain/subjects.ts';
import { isOnline } from '../../domain/telemetry/player.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { invalidCursor } from '../../kernel/page-cursor.ts';
import type { SessionPlace, SessionRow } from '../ports/readers.ts';
import type { ReportPlace, ReportRow } from '../ports/telemetry.ts';
import { guestOf } from '../security/guest-proof.ts';
import { type Looked, pageOf, pathOf, type Shown, storagePath } from './player-part.ts';

/** Who a player is, how he comes in, and what games report of him. */

type Session = NonNullable<contract.PlayerPage['sessions']>['items'][number];
type Report = NonNullable<contract.PlayerPage['reports']>['items'][number];

/** Characters of a report's payload that is shown. */
const MAX_PAYLOAD = 4_096;

export async function profileOf(looked: Looked): Promise<Shown> {
  const { context, project, player } = looked;
  const { reader, heartbeats } = context.telemetry;
  const { profile: known } = await reader.player(project.id, player);
  if (known === null) return { profile: null };
  const profile = heartbeats.profileWith(project.id, player, known);
  return {
    profile: {
      name: profile.playerName,
      online: isOnline(profile, context.scheduler.now()),
      lastSeen: isoTime(profile.lastSeen),
      playedSeconds: Math.floor(profile.totalSeconds),
      playSessions: profile.sessionCount,
      link: storagePath(looked, 'stats', player),
    },
  };
}

/** Sessions that the state tables keep: those of which something has not expired, and a while longer. */
export async function sessionsPart(looked: Looked): Promise<Shown> {
  const { context, project, player, limit, after } = looked;
  const before = after === null ? null : placeIn(after);
  const rows = await context.views.sessionsOf(project.id, player, { before, limit: limit + 1 });
  const { items, about } = pageOf(looked, 'sessions', rows, ({ expiresAt, family }) => `${expiresAt}.${family}`);
  return { sessions: { items: items.map((row) => sessionOf(looked, row)), ...about } };
}

function sessionOf({ project }: Looked, { family, expiresAt, state }: SessionRow): Session {
  const sessions = [...state.sessions.values()];
  const [first, last] = [sessions[0], sessions.at(-1)];
  const revoked = sessions.map(({ revokedAt }) => revokedAt).filter((at) => at !== null);
  return {
    id: family,
    createdAt: isoTime(first?.createdAt ?? expiresAt),
    ...(last === undefined || last === first ? {} : { renewedAt: isoTime(last.createdAt) }),
    expiresAt: isoTime(expiresAt),
    revokedAt: revoked.length < sessions.length ? null : isoTime(Math.max(...revoked)),
    ...(state.device === undefined ? {} : { device: state.device }),
    link: pathOf('manage', project.id, 'explain', family),
  };
}

function placeIn(after: string): SessionPlace {
  const [, expiresAt, family] = /^(\d{1,15})\.([0-9a-f]{32})$/.exec(after) ?? [];
  if (expiresAt === undefined || family === undefined) throw invalidCursor('after');
  return { expiresAt: Number(expiresAt), family };
}

/** What leads to a guest, or the guest that an account leads to. */
export async function guestPart({ project, player }: Looked): Promise<Shown> {
  const access = (guest: string) => pathOf('manage', project.id, 'guests', guest);
  const [state, name] = await Promise.all([guestOf(project, player), project.read(guestNameSubject('account', player))]);
  const accountOf = name.state === null ? {} : { accountOf: { guest: name.state.guest, link: access(name.state.guest) } };
  if (state === null) return { guest: null, ...accountOf };
  const { devices, account, recovery } = state;
  const shown = devices.map(({ hash, joinedAt }) => ({ id: deviceIdOf(hash), joinedAt: isoTime(joinedAt) }));
  return { guest: { devices: shown, account, hasCode: recovery !== null, link: access(player) }, ...accountOf };
}

export async function reportsOf(looked: Looked): Promise<Shown> {
  const { context, project, player, limit, after } = looked;
  const before = after === null ? NEWEST_REPORT : reportPlaceIn(after, 'after');
  const rows = await context.telemetry.reader.reports(project.id, player, { before, from: 0, limit: limit + 1 });
  const { items, about } = pageOf(looked, 'reports', rows, reportCursor);
  return { reports: { items: items.map(reportShown), ...about } };
}

/** Where a player's reports begin. */
export const NEWEST_REPORT: ReportPlace = { at: Number.MAX_SAFE_INTEGER, revision: 0 };

export function reportCursor({ at, revision }: ReportRow): string {
  return `${Date.parse(at)}.${revision}`;
}

/** The place behind which reports go on. Throws 400 INVALID_REQUEST. */
export function reportPlaceIn(cursor: string, name: string): ReportPlace {
  const [, at, revision] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined || revision === undefined) throw invalidCursor(name);
  return { at: Number(at), revision: Number(revision) };
}

export function reportShown({ revision, at, type, label, source, endpointSlug, collectionId, sessionId, payload }: ReportRow): Report {
  const isShort = stringifyJson(payload).length <= MAX_PAYLOAD;
  const named = { endpoint: endpointSlug, collection: collectionId, session: sessionId };
  return { revision, at, type, label, source, ...named, ...(isShort ? { payload } : {}) };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
