import { checkCommand } from './check.ts';
import { diffCommand } from './diff.ts';
import { initCommand } from './init.ts';
import { loginCommand } from './login.ts';
import { promoteCommand } from './promote.ts';
import { publishesCommand } from './publishes.ts';
import { pullCommand } from './pull.ts';
import { pushCommand } from './push.ts';
import { rollbackCommand } from './rollback.ts';

/** The commands that move the definitions of a game's folder, in the order in which a game meets them. */
export const FOLDER_COMMANDS = [
  initCommand,
  loginCommand,
  checkCommand,
  pushCommand,
  pullCommand,
  diffCommand,
  promoteCommand,
  rollbackCommand,
  publishesCommand,
] as const;
