import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { writeFileWhole } from '../folder/files.ts';
import { FolderProblem } from '../folder/problem.ts';
import { addressOf, PROJECT_FILE, writeProjectFile } from '../folder/project-file.ts';
import { filesOfTemplate, TEMPLATES, type Template } from '../folder/templates.ts';
import { printResult } from './context.ts';
import { keepSchemas } from './remote/schemas.ts';
import { type RemoteOptions, remoteCommand } from './remote.ts';

interface InitOptions extends RemoteOptions {
  readonly template: Template;
}

/** `savepoint init`: makes a folder for a game. */
export function initCommand(): Command {
  return remoteCommand('init', 'make a folder for a game: definitions of every kind, savepoint.json and .gitignore. Overwrites nothing')
    .argument('[dir]', 'the folder; here when left out')
    .addOption(
      new Option('--template <name>', '`game` is small and complete, `browser` a game with its page, `empty` has no definitions')
        .choices(TEMPLATES)
        .default('game'),
    )
    .action(async (dir: string | undefined, options: InitOptions) => {
      const folder = resolve(dir ?? options.dir ?? '.');
      const address = options.address === undefined ? undefined : addressOf(options.address, '--address');
      const files = filesOfTemplate(options.template, folder);
      const there = [PROJECT_FILE, ...files.keys()].filter((path) => existsSync(join(folder, path)));
      if (there.length > 0) {
        throw new FolderProblem(
          'BAD_FOLDER',
          `${folder} has ${there.join(', ')} already, and nothing was written. Name another folder, or remove them.`,
        );
      }
      for (const [path, text] of files) writeFileWhole(join(folder, path), text);
      const { project } = options;
      writeProjectFile(folder, { ...(address === undefined ? {} : { address }), ...(project === undefined ? {} : { project }) });
      await keepSchemas(folder, { anew: true });
      const made = [PROJECT_FILE, ...files.keys()].sort();
      printResult(options, { ok: true, dir: folder, template: options.template, files: made }, () =>
        [...made.map((path) => `  ${path}`), '', ...whatNext(folder, options)].join('\n'),
      );
    })
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint init game && cd game && savepoint dev\n  savepoint init gold-rush --template browser\n  savepoint init game --template empty --address https://game.example --project p1',
    );
}

function whatNext(folder: string, { address, project, template }: InitOptions): string[] {
  const way = relative(process.cwd(), folder);
  const here = way.startsWith('..') ? folder : way;
  const enter = here === '' ? [] : [`  cd ${here}`];
  const local = [
    '  savepoint dev        starts a node of its own for this folder, and shows what each change does',
    ...(template === 'browser'
      ? [
          'In a second terminal, from here:',
          `  cd ${join(here, 'web')} && npm install && npm run dev        the page, at http://localhost:5173`,
        ]
      : []),
  ];
  const steps = [
    ...(address === undefined || project === undefined
      ? [
          `write ${[...(address === undefined ? ['address'] : []), ...(project === undefined ? ['project'] : [])].join(' and ')} into savepoint.json`,
        ]
      : []),
    'savepoint login      keeps the secret key of the project for you',
    'savepoint check      says what is wrong, and where',
    'savepoint push       stages everything in `next`',
    'savepoint promote    runs the tests, and makes it live',
  ];
  const remote = steps.map((step) => `  ${step}`);
  const lines =
    address === undefined ? ['Next:', ...enter, ...local, 'Or, with a server that runs:', ...remote] : ['Next:', ...enter, ...remote];
  // A package that is only installed in a folder puts no `savepoint` on the path.
  return process.env['npm_command'] === 'exec' ? lines.map((line) => line.replace(/^ {2}savepoint /, '  npx savepoint ')) : lines;
}
