import type { CommandCompletion, Names, Word } from './completions.ts';

/**
 * Completion scripts. They contain every command and option, because starting the program at each press of Tab would be slow. Names of
 * endpoints and collections come from the files of the current folder.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, commands: readonly CommandCompletion[]): string {
  return { bash, zsh, fish }[shell](commands);
}

/** Prints the names of the definitions of one kind (`$1`) in the folder: `NAME` of each `NAME.KIND.yml`. POSIX shell. */
const NAMES = `_savepoint_names() {
  local dir="$PWD"
  while [ -n "$dir" ] && [ ! -e "$dir/savepoint.json" ]; do dir="\${dir%/*}"; done
  [ -n "$dir" ] || return 0
  command find "$dir" -maxdepth 4 \\( -name node_modules -o -name '.?*' \\) -prune -o \\
    \\( -name "*.$1.yml" -o -name "*.$1.yaml" -o -name "*.$1.json" \\) -print 2>/dev/null |
    command sed -e 's|.*/||' -e "s|\\\\.$1\\\\.[a-z]*\\$||"
}`;

function bash(commands: readonly CommandCompletion[]): string {
  const rows = commands.map((command) => {
    const words = [...wordsOf(command.commands), ...command.values, ...wordsOf(command.options)].join(' ');
    return `    ${quoted(command.path.join(' '))}) words=${quoted(words)}${namesIn(command.names, 'names=$(_savepoint_names KIND)')} ;;`;
  });
  return `# bash completion of savepoint: source <(savepoint completion bash)
${NAMES}
_savepoint() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" place='' word words='' names=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in
      ${pathsOf(commands)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${rows.join('\n')}
  esac
  case "$cur" in -*) names='' ;; esac
  COMPREPLY=($(compgen -W "$words $names" -- "$cur"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -F _savepoint savepoint
`;
}

function zsh(commands: readonly CommandCompletion[]): string {
  const listed = (words: readonly Word[]) =>
    words.map(({ word, description }) => quoted(`${word}:${description.replaceAll(':', '\\:')}`)).join(' ');
  const rows = commands.map((command) => {
    const values = command.values.map((word) => ({ word, description: '' }));
    const found = `commands=(${listed([...command.commands, ...values])}) options=(${listed(command.options)})`;
    return `    ${quoted(command.path.join(' '))}) ${found}${namesIn(command.names, `names=(\${(f)"$(_savepoint_names KIND)"})`)} ;;`;
  });
  return `#compdef savepoint
# zsh completion of savepoint: source <(savepoint completion zsh)
${NAMES}
_savepoint() {
  local place='' word
  local -a commands options names
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      ${pathsOf(commands)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${rows.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe option options; return; fi
  (( $#commands )) && _describe command commands
  (( $#names )) && compadd -a names
  (( $#commands + $#names )) || _files
}
compdef _savepoint savepoint
`;
}

function fish(commands: readonly CommandCompletion[]): string {
  const rows = commands.flatMap(({ path, commands: subcommands, options, values, names }) => {
    const at = `complete -c savepoint -n ${quotedForFish(`__savepoint_at ${path.join(' ')}`.trim())}`;
    return [
      ...subcommands.map(({ word, description }) => `${at} -f -a ${word} -d ${quotedForFish(description)}`),
      ...options.map(({ word, description }) => `${at} -l ${word.slice(2)} -d ${quotedForFish(description)}`),
      ...(values.length === 0 ? [] : [`${at} -f -a ${quotedForFish(values.join(' '))}`]),
      ...(names === null ? [] : [`${at} -f -a '(__savepoint_names ${names})'`]),
    ];
  });
  return `# fish completion of savepoint: savepoint completion fish | source
function __savepoint_names
    set -l dir $PWD
    while test -n "$dir"; and not test -e "$dir/savepoint.json"
        set dir (string replace -r '/[^/]*$' '' -- $dir)
    end
    test -n "$dir"; or return
    for file in $dir/**.$argv[1].{yml,yaml,json}
        string replace -r '.*/' '' -- $file | string replace -r "\\.$argv[1]\\.[a-z]*\\$" ''
    end
end
function __savepoint_at
    set -l place
    for word in (commandline -opc)[2..]
        contains -- (string join ' ' -- $place $word) ${commands
          .filter(({ path }) => path.length > 0)
          .map(({ path }) => quotedForFish(path.join(' ')))
          .join(' ')}; and set -a place $word
    end
    test "$place" = "$argv"
end
${rows.join('\n')}
`;
}

/** Every command as a pattern of \`case\`. */
function pathsOf(commands: readonly CommandCompletion[]): string {
  return commands
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => quoted(path.join(' ')))
    .join(' | ');
}

function namesIn(names: Names | null, command: string): string {
  return names === null ? '' : ` ${command.replace('KIND', names)}`;
}

function wordsOf(words: readonly Word[]): readonly string[] {
  return words.map(({ word }) => word);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quotedForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
