import { Command, Option } from 'commander';
import type { PublishTarget } from '../domain/events.ts';
import { type Json, type JsonObject, stringifyJson } from '../kernel/json.ts';
import { type CommonOptions, command, endProgress, print, progress, table, withInstallation } from './context.ts';

/** `savepoint test`: runs the saved tests of a project, for a build pipeline. */
export function testCommand(): Command {
  return new Command('test').description("run a project's saved tests").addCommand(run());
}

interface RunOptions extends CommonOptions {
  readonly target: PublishTarget;
}

function run(): Command {
  return command('run', 'run them dry on the real state: nothing of a run is stored. Exit code 1 when one fails')
    .argument('<projectId>')
    .addOption(new Option('--target <target>', 'the definitions to test').choices(['live', 'next']).default('live'))
    .action(async (projectId: string, options: RunOptions) => {
      const told = (done: number, of: number) => progress(`${done} of ${of} tests`);
      const { results, total, passed, failed } = await withInstallation(options, ({ tests }) => tests.run(projectId, options.target, told));
      endProgress();
      const found: JsonObject = { ok: failed === 0, projectId, target: options.target, total, passed, failed, results };
      // Results contain what games store, so their numbers must be printed exactly.
      print(options.json ? stringifyJson(found) : listing(results, passed, total));
      if (failed > 0) process.exitCode = 1;
    });
}

function listing(results: readonly JsonObject[], passed: number, total: number): string {
  if (total === 0) return 'This project has no saved tests.';
  // Listed by id, because all tests without a name are called after their endpoint.
  const rows = results.map((result) => [
    result['passed'] === true ? 'passed' : 'FAILED',
    text(result['id']),
    text(result['name']),
    text(result['reason']),
  ]);
  return `${table(['', 'ID', 'TEST', 'REASON'], rows)}\n${passed} of ${total} passed`;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
