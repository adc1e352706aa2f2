import type { Command } from 'commander';
import type { CommonOptions } from '../context.ts';
import { WrongUsage } from '../wrong-usage.ts';

/** The help of `--message`, of the commands that publish. */
export const MESSAGE_HELP = 'why, in a line of at most 500 characters: `publishes` shows it';

/** The help of `--reason` where it may be left out. */
export const REASON_HELP = 'why, in a line of at most 500 characters: `user history` and the page People show it';

/** The help of `--ticket`, of every command that may name one. */
export const TICKET_HELP = 'of the support desk';

/** The help of `--break-glass`, of the commands that a second person has to agree to. */
export const BREAK_GLASS_HELP = 'as an owner, go past the second person that the project asks for; -m says why, and the history tells it';

/** Options of a command that says why projects, settings or keys are changed. */
export interface SayingOptions extends CommonOptions {
  readonly message?: string;
  readonly ticket?: string;
}

/** A command that changes projects, settings or keys takes why, and for which ticket. */
export function saying(made: Command): Command {
  return made
    .option('-m, --message <text>', 'why, in a line of at most 500 characters, for good: `explain` and the page Activity show it')
    .option('--ticket <id>', TICKET_HELP);
}

/** Refuses a reason for nothing: without `--set` such a command only shows. */
export function needSet({ set, message, ticket }: SayingOptions & { readonly set?: readonly string[] }): void {
  if (set === undefined && (message !== undefined || ticket !== undefined))
    throw new WrongUsage('--message and --ticket say why something is set: --set is missing');
}
