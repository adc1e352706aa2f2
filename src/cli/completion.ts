import { Argument, Command } from 'commander';
import { completionsOf } from './completion/completions.ts';
import { completionScript, SHELLS, type Shell } from './completion/scripts.ts';
import { print } from './context.ts';

/** `savepoint completion`: prints a script by which a shell completes the commands. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print the completion script of a shell: commands, options, endpoints and collections of the folder')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples, for this shell and for every new one:
  source <(savepoint completion bash)
  savepoint completion bash > ~/.local/share/bash-completion/completions/savepoint
  savepoint completion zsh > "\${fpath[1]}/_savepoint"
  savepoint completion fish > ~/.config/fish/completions/savepoint.fish`,
    )
    .action((shell: Shell, _options: object, command: Command) => {
      let program = command;
      while (program.parent !== null) program = program.parent;
      print(completionScript(shell, completionsOf(program)).trimEnd());
    });
}
