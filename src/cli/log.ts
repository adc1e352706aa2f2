import { Command } from 'commander';
import { anchorCommand } from './log/anchor.ts';
import { copyCommand } from './log/copy.ts';
import { statsCommand } from './log/stats.ts';
import { tailCommand } from './log/tail.ts';

/** `savepoint log`: reads, checks and copies the log, for auditors, backups and moves to another engine. */
export function logCommand(): Command {
  const log = new Command('log').description('look at the log, copy it, back it up');
  for (const make of [tailCommand, statsCommand, anchorCommand, copyCommand]) log.addCommand(make());
  return log;
}
