/** A rollback, and the publish that it led to: live was then as right after that; −1: before any. */
export interface Led {
  readonly revision: number;
  readonly restored: number;
}

/**
 * The rollback by which live last lost what a publish made; `null`: live has it. What a rollback undid is brought back by a later one that
 * leads behind it. `rollbacks`: all since the publish, oldest first.
 */
export function undoneBy(publish: number, rollbacks: readonly Led[]): number | null {
  let lost: number | null = null;
  const after: { readonly revision: number; readonly isLost: boolean }[] = [];
  for (const { revision, restored } of rollbacks) {
    if (revision <= publish) continue;
    const wasLost = restored < publish || after.findLast((each) => each.revision <= restored)?.isLost === true;
    lost = wasLost ? (lost ?? revision) : null;
    after.push({ revision, isLost: wasLost });
  }
  return lost;
}
