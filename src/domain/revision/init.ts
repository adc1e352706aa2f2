import type { RevisionStatus } from '../../contract/answers.ts';
import { currentRevision, latestRevision } from '../project/package.ts';
import type { GamePackage } from '../states.ts';

/**
 * The answer to a game that starts. An unknown number is left out, because clients read null as a failed handshake. The answer does not
 * depend on whether the project enforces revisions.
 */
export function revisionInitBody(known: GamePackage | null, player: number | null): RevisionStatus {
  const current = currentRevision(known);
  const latest = latestRevision(known);
  const outdated = player !== null && current !== null && player < current;
  return {
    ok: true,
    ...(player === null ? {} : { playerRevision: player }),
    ...(current === null ? {} : { currentRevisionId: current }),
    ...(latest === null ? {} : { latestRevisionId: latest }),
    revisionOutdated: outdated,
    message: messageOf(player, current, outdated),
  };
}

function messageOf(player: number | null, current: number | null, outdated: boolean): string {
  if (player === null) return 'The game did not say which revision it is.';
  if (current === null) return 'This project has no synced game package yet.';
  return outdated ? `Revision ${player} is outdated; ${current} is current.` : `Revision ${player} is current.`;
}
