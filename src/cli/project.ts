import { Command } from 'commander';
import type { Installation } from '../compose/installation.ts';
import { projectSettings, SETTING_RULES, settingRule } from '../domain/project/settings.ts';
import { acceptMember } from '../domain/wire-names.ts';
import { type Json, stringifyJson, tryParseJson } from '../kernel/json.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { awaitProjected, type CommonOptions, command, printNote, printResult, table, withInstallation } from './context.ts';
import { exportCommand } from './project/export.ts';
import { importCommand } from './project/import.ts';
import { quotasCommand } from './project/quotas.ts';
import { needSet, type SayingOptions, saying } from './remote/message.ts';
import { WrongUsage } from './wrong-usage.ts';

interface ProjectRow {
  readonly projectId: string;
  readonly name: string;
  readonly createdAt: string;
}

/** `savepoint project`: projects of this installation. */
export function projectCommand(): Command {
  return new Command('project')
    .description('create, list, set up, export, import and delete projects')
    .addCommand(create())
    .addCommand(list())
    .addCommand(settings())
    .addCommand(quotasCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(remove());
}

function create(): Command {
  const made = command(
    'create',
    'make a project with one public and one secret key; the secret is shown only here',
    "savepoint project create 'My game'",
    "savepoint project create 'My game' --json > keys.json",
  );
  return saying(made)
    .argument('<name>', 'a label; the id is generated')
    .action(async (name: string, options: SayingOptions) => {
      const create = async (installation: Installation) => {
        const { revision, ...project } = await installation.operator.createProject(name, options);
        await awaitProjected(installation, project.projectId, revision);
        return project;
      };
      const made = await withInstallation(options, create, { mayMake: true });
      printResult(options, made, () => `project     ${made.projectId}\npublic key  ${made.publicKey}\nsecret key  ${made.secretKey}`);
      if (options.json) return;
      const cure = `savepoint project settings ${made.projectId} --set guestSignIn=true requirePlayerAuth=true`;
      printNote(`Whoever names a player is taken for it until players are proven: ${cure}`);
    });
}

function list(): Command {
  return command('list', 'list the projects', 'savepoint project list').action(async (options: CommonOptions) => {
    const projects = await withInstallation(options, async ({ pool, log }) => {
      const { rows } = await pool.query<{ project: string; name: string; created_at: string }>(
        'SELECT project, name, created_at FROM savepoint.projects WHERE NOT deleted ORDER BY created_at, project',
      );
      const isEmpty = (await pool.query('SELECT 1 FROM savepoint.projects LIMIT 1')).rowCount === 0;
      const { hasProjects } = await import('../compose/log.ts');
      if (isEmpty && (await hasProjects(log))) printNote('The log holds projects that the read models do not show yet: start a node.');
      return rows.map(
        (row): ProjectRow => ({ projectId: row.project, name: row.name, createdAt: new Date(Number(row.created_at)).toISOString() }),
      );
    });
    printResult(options, projects, () => {
      if (projects.length === 0) return 'No projects yet: `savepoint project create NAME` makes one.';
      return table(
        ['ID', 'NAME', 'CREATED'],
        projects.map((project) => [project.projectId, project.name, project.createdAt]),
      );
    });
  });
}

interface SettingsOptions extends SayingOptions {
  readonly set?: readonly string[];
}

function settings(): Command {
  const made = command(
    'settings',
    'show the settings of a project, or change some; also of a disabled one',
    'savepoint project settings p1',
    "savepoint project settings p1 --set guestSignIn=true requirePlayerAuth=true --message 'players are proven from now on'",
  );
  return saying(made)
    .argument('<projectId>')
    .option('--set <name=value...>', 'such as enabled=true, inputValidation=off, authSessionTtlSeconds=600')
    .action(async (projectId: string, options: SettingsOptions) => {
      needSet(options);
      const changes = Object.fromEntries((options.set ?? []).map(assignment));
      const { all, before } = await withInstallation(options, async ({ operator, waitUntilProjected }) => {
        const shown = async () => {
          const { name, settings } = await operator.show(projectId);
          return { name, ...projectSettings(settings) };
        };
        const before = await shown();
        if (options.set === undefined) return { all: before, before };
        const { revision } = await operator.changeSettings(projectId, changes, options);
        await waitUntilProjected(projectId, revision);
        return { all: await shown(), before };
      });
      if (all.nextData !== before.nextData)
        printNote('The data of next have begun anew: what was written through it before no longer shows.');
      printResult(options, { projectId, settings: all }, () =>
        options.set === undefined ? allSettings(all) : changedSettings(before, all),
      );
    });
}

type Shown = Readonly<Record<string, Json>>;

function allSettings(all: Shown): string {
  return table(
    ['SETTING', 'VALUE'],
    Object.entries(all).map(([name, value]) => [name, stringifyJson(value)]),
  );
}

function changedSettings(before: Shown, after: Shown): string {
  const lines = Object.entries(after).flatMap(([name, value]) => {
    const [was, is] = [stringifyJson(before[name] ?? null), stringifyJson(value)];
    return was === is ? [] : [`${name}  ${was} → ${is}`];
  });
  return lines.length === 0 ? 'Nothing changed: that is what they were.' : lines.join('\n');
}

/** The value is read as JSON if that is a valid value of the setting, and otherwise as text. */
function assignment(text: string): readonly [name: string, value: Json] {
  const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new WrongUsage(`--set takes NAME=VALUE, not ${text}.`);
  const known = acceptMember(name);
  const rule = settingRule(known);
  if (rule === undefined) {
    const names = ['name', ...Object.keys(SETTING_RULES)];
    throw new WrongUsage(`There is no setting '${name}'. ${didYouMean(name, names) ?? `The settings are ${names.join(', ')}.`}`);
  }
  const json = tryParseJson(value);
  return [known, json !== undefined && rule.accept(json) !== undefined ? json : value];
}

function remove(): Command {
  const about = 'refuse the keys of a project and drop its rows; its log stays';
  return saying(command('delete', about, "savepoint project delete p1 --yes --message 'the game was closed' --ticket T-77"))
    .argument('<projectId>')
    .option('--yes', 'really delete it')
    .action(async (projectId: string, options: SayingOptions & { readonly yes?: boolean }) => {
      if (!options.yes) throw new WrongUsage(`This drops everything that players of ${projectId} see. Add --yes to do it`);
      await withInstallation(options, async (installation) => {
        const { revision } = await installation.operator.deleteProject(projectId, options);
        await awaitProjected(installation, projectId, revision);
      });
      printResult(options, { projectId, deleted: true }, () => `Project ${projectId} is deleted; its log is kept.`);
    });
}
