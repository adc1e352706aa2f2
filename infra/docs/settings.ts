import { LIMITS, SERVER, type Setting, VERIFIER } from '../../src/config/settings.ts';
import type { GeneratedFile } from './file.ts';

/** Makes docs/settings.md: every setting of a node, from the table with which the program reads them. */

type Settings = Readonly<Record<string, Setting<unknown>>>;

const INTRODUCTION = `# Settings

<!-- Generated from src/config/settings.ts by \`npm run docs\`. -->

A node reads its settings from environment variables. Options of the command line (\`--port\`, \`--host\`, \`--data\`, \`--roles\`, \`--workers\`) come
before them, defaults after them. An empty variable counts as not set. A start with a wrong setting ends at once and names every wrong one, with what
is allowed. A variable that is named nearly like a setting is warned of. \`savepoint doctor\` checks all of them without starting anything.

All nodes of an installation take the same settings, but for where they listen, their data folder, and what they do (\`HOST\`, \`PORT\`, \`SAVEPOINT_DATA\`,
\`ROLES\`, \`WORKERS\`, \`METRICS_PORT\`). The settings of a project are another thing: see [projects.md](projects.md#settings-of-a-project).`;

export const SETTINGS_PAGE: GeneratedFile = {
  file: 'docs/settings.md',
  render: () =>
    [
      INTRODUCTION,
      section('The node', 'Where it listens, what it works with, what it does.', SERVER),
      section('How players are proven', 'What these mean together is in [security.md](security.md#verifiers).', VERIFIER),
      section(
        'Limits',
        'Of requests, documents, memory and time. `QUOTA_…` are per project: see [projects.md](projects.md#quotas).',
        LIMITS,
      ),
    ]
      .join('\n\n')
      .concat('\n'),
};

function section(title: string, about: string, settings: Settings): string {
  const rows = Object.values(settings).map(row);
  return [`## ${title}`, '', about, '', '| Variable | Default | Meaning | Allowed |', '|---|---|---|---|', ...rows].join('\n');
}

function row({ variable, initial, about, allowed, secret }: Setting<unknown>): string {
  const fallback = initial === null ? 'not set' : `\`${initial}\``;
  const note = secret === 'no' ? '' : secret === 'partly' ? ' (its password is never shown)' : ' (never shown)';
  return `| \`${variable}\` | ${fallback} | ${about} | ${escaped(allowed)}${note} |`;
}

/** A bar in a text would end the cell of the table. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
