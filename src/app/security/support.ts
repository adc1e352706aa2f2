import { randomBytes } from 'node:crypto';
import type * as contract from '../../contract/answers.ts';
import { MAX_IDS } from '../../contract/routes/support.ts';
import { type DecidedGuest, issueCode, NO_DEVICE, revokeDevice, unlinkForSupport } from '../../domain/guest/decide.ts';
import { CODE_BYTES, deviceIdOf, formatCode } from '../../domain/guest/token.ts';
import type { GuestState } from '../../domain/states.ts';
import { guestNameSubject, guestSubject } from '../../domain/subjects.ts';
import { accepted, notFound, type Refusal, refusal } from '../../kernel/errors.ts';
import { accessAt, accessOf, requirePermissions, requireStorable } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored } from '../context.ts';
import type { NamedPlayer, TelemetryReader } from '../ports/telemetry.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { guestOf } from './guest-proof.ts';

/**
 * What support does for players, with a secret key that has the scope `players`. Of guests it throws 404 `NOT_FOUND`
 * and 409 `GUEST_CONFLICT`, also while the project takes no guests.
 */
export interface Support {
  /** Players whose name begins so, or those of these ids that have one. Throws 400 `INVALID_REQUEST`. */
  find(caller: Caller, search: PlayerSearch): Promise<ManageAnswer<contract.PlayersFound>>;
  show(caller: Caller, guest: string): Promise<ManageAnswer<contract.GuestAccess>>;
  /** Issues a recovery code, which is answered only here; the log holds its hash. */
  issueCode(caller: Caller, guest: string): Promise<ManageAnswer<contract.GuestAccessWithCode>>;
  unlink(caller: Caller, guest: string): Promise<ManageAnswer<contract.GuestAccess>>;
  /** Revokes a device, by its id, with every session that it opened. */
  revoke(caller: Caller, guest: string, device: string): Promise<ManageAnswer<contract.GuestAccess>>;
}

interface PlayerSearch {
  readonly name: string | null;
  /** With commas between them; in place of the name. */
  readonly ids: string | null;
  readonly limit: number;
}

const MAX_NAME = 128;
const SCOPE = ['players'];

export function createSupport(context: AppContext): Support {
  const change = (caller: Caller, cause: string, guest: string, decide: Decide) => changeGuest(context, caller, { cause, guest, decide });
  return {
    async find(caller, { name, ids, limit }) {
      const project = await projectOf(context, caller);
      requirePermissions(accessAt(project, caller, 'live').key, SCOPE, 'r');
      if (name !== null && ids !== null) throw refusal('INVALID_REQUEST', 'Players are found by `name` or by `ids`: give one of them');
      const { reader } = context.telemetry;
      const found = ids === null ? await reader.named(project.id, nameIn(name), limit + 1) : await calledSo(reader, project.id, idsIn(ids));
      const most = ids === null ? limit : found.length;
      const now = context.scheduler.now();
      const players = found.slice(0, most).map(({ platformId, name: shown, lastSeen, onlineUntil }) => {
        return { platformId, name: shown, lastSeen: new Date(lastSeen).toISOString(), online: onlineUntil !== null && onlineUntil > now };
      });
      return { ...positioned(context, project, caller), result: { ok: true, players, more: found.length > most } };
    },

    async show(caller, guest) {
      const project = await projectOf(context, caller);
      requirePermissions(accessAt(project, caller, 'live').key, SCOPE, 'r');
      requireStorable(guest);
      const state = await guestOf(project, guest);
      if (state === null) throw noGuest(guest);
      return { ...positioned(context, project, caller), result: shown(guest, state) };
    },

    async issueCode(caller, guest) {
      const { text, hash } = formatCode(randomBytes(CODE_BYTES));
      const issued = await change(caller, 'support.issueCode', guest, (ctx, state) => {
        ctx.assumeAbsent(guestNameSubject('code', hash));
        return issueCode({ guest, device: NO_DEVICE }, hash, state);
      });
      return { ...issued, result: { ...issued.result, code: text } };
    },

    unlink: (caller, guest) =>
      change(caller, 'support.unlink', guest, (ctx, state) => {
        if (state.account !== null) ctx.read(guestNameSubject('account', state.account));
        return unlinkForSupport(guest, state);
      }),

    async revoke(caller, guest, device) {
      if (device === NO_DEVICE) throw refusal('INVALID_BODY', '`device` is the id of a device, as the list of devices shows it');
      return change(caller, 'support.revoke', guest, (_, state) => revokeDevice({ guest, device: NO_DEVICE }, device, state));
    },
  };
}

type Decide = (ctx: DecisionContext, state: GuestState) => DecidedGuest | Refusal;

interface GuestChange {
  readonly cause: string;
  readonly guest: string;
  readonly decide: Decide;
}

async function changeGuest(
  context: AppContext,
  caller: Caller,
  { cause, guest, decide }: GuestChange,
): Promise<ManageAnswer<contract.GuestAccess>> {
  const project: Project = await projectOf(context, caller);
  requireStorable(guest);
  const outcome = await execute(project, caller, cause, (ctx) => {
    requirePermissions(accessOf(ctx, caller, 'live').key, SCOPE, 'rw');
    const state = ctx.read(guestSubject(guest));
    if (state === null) throw noGuest(guest);
    return decided(null, accepted(decide(ctx, state)).events);
  });
  const state = await guestOf(project, guest);
  if (state === null) throw noGuest(guest);
  return { ...stored(outcome), result: shown(guest, state) };
}

function noGuest(guest: string): Refusal {
  return notFound('player', `${JSON.stringify(guest.slice(0, 64))} is no guest. Players that a login proves have no devices here.`);
}

function shown(player: string, { devices, account, recovery }: GuestState): contract.GuestAccess {
  const listed = devices.map(({ hash, joinedAt }) => ({ id: deviceIdOf(hash), joinedAt: new Date(joinedAt).toISOString() }));
  return { ok: true, player, devices: listed, account, hasCode: recovery !== null };
}

/** How the name begins: of any characters, as games report it, but the one that no text holds. Throws 400. */
function nameIn(name: string | null): string {
  if (name === null || name.trim() === '' || name.length > MAX_NAME || name.includes('\0'))
    throw refusal('INVALID_REQUEST', `\`name\` is how the name begins, of 1 to ${MAX_NAME} characters`);
  return name;
}

/** Ids of players, each once. Names of other spaces than live are kept under ids with a slash, which none of these has. Throws 400. */
function idsIn(text: string): readonly string[] {
  const ids = [...new Set(text.split(',').filter((id) => id !== '' && !id.includes('/')))];
  if (ids.length === 0 || ids.length > MAX_IDS) throw refusal('INVALID_REQUEST', `\`ids\` are 1 to ${MAX_IDS} ids of players`);
  for (const id of ids) requireStorable(id);
  return ids;
}

/** Those of these players that have a name, in the order in which they are asked for. */
async function calledSo(reader: TelemetryReader, projectId: string, ids: readonly string[]): Promise<readonly NamedPlayer[]> {
  const profiles = await reader.profiles(projectId, ids);
  return ids.flatMap((platformId) => {
    const { playerName = null, lastSeen = 0, online = false, onlineUntil = null } = profiles.get(platformId) ?? {};
    return playerName === null ? [] : [{ platformId, name: playerName, lastSeen, onlineUntil: online ? onlineUntil : null }];
  });
}
