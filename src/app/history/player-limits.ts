import { flagShown } from '../storage/flags.ts';
import { usedBy } from '../storage/rate-limits.ts';
import { type Looked, pathOf, type Shown, storagePath } from './player-part.ts';

const MAX_WINDOWS = 200;

/** The player's own limits, where something is used. */
export async function windowsOf(looked: Looked): Promise<Shown> {
  const { context, project, access, player } = looked;
  const link = `${storagePath(looked, 'rate-limits')}?${new URLSearchParams({ platformId: player })}`;
  const { used = [], usedTruncated } = await usedBy(project, 'live', access.definitions, player, context.scheduler.now());
  const own = used.filter((window) => window['scope'] === 'per_player' && (window.used > 0 || window.flagged));
  const isCut = usedTruncated === true || own.length > MAX_WINDOWS;
  return { windows: { items: own.slice(0, MAX_WINDOWS), ...(isCut ? { more: link } : {}), link } };
}

/** Writes of the player that went over rules with the action `flag`. */
export async function flagsOf({ context, project, player, limit }: Looked): Promise<Shown> {
  const { flags, next } = await context.views.flags(project.id, { space: 'live', player, before: Number.MAX_SAFE_INTEGER, limit });
  const path = pathOf('manage', project.id, 'flags');
  const link = `${path}?${new URLSearchParams({ platformId: player })}`;
  return { flags: { items: flags.map(flagShown), ...(next === null ? {} : { more: `${link}&before=${next}` }), link } };
}
