import { type Command, InvalidArgumentError, Option } from 'commander';

/** `-n, --limit`: how much a command lists, the same on every command. */

interface LimitRange {
  readonly from?: number;
  readonly to: number;
  readonly preset: number;
}

/** Adds the option. `what`: what is counted. `--lines`, its earlier name on some commands, stays another spelling. */
export function withLimit(made: Command, what: string, { from = 1, to, preset }: LimitRange): Command {
  const read = (text: string): number => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    if (count >= from && count <= to) return count;
    throw new InvalidArgumentError(`--limit is a whole number from ${from} to ${to}.`);
  };
  return made
    .addOption(new Option('-n, --limit <count>', `${what}, from ${from} to ${to}`).argParser(read).default(preset))
    .addOption(new Option('--lines <count>').argParser(read).hideHelp())
    .on('option:lines', (text: string) => made.setOptionValue('limit', read(text)));
}
