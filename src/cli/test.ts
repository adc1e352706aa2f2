import { type Command, Option } from 'commander';
import type { PublishTarget } from '../domain/events.ts';
import { type JsonObject, stringifyJson, stringOrEmpty } from '../kernel/json.ts';
import { type CommonOptions, command, endProgress, print, progress, table, withInstallation } from './context.ts';
import { folderTests } from './remote/folder-tests.ts';
import { testReport } from './remote/test-report.ts';
import { runTests } from './remote/test-runs.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';

interface TestOptions extends RemoteOptions {
  readonly live?: boolean;
  readonly only?: readonly string[];
}

/** `savepoint test`: runs tests over HTTP; `savepoint test run`: runs those of a project of this installation, for its operator. */
export function testCommand(): Command {
  return (
    revealing(remoteCommand('test', 'run the tests of a project dry, those of the folder among them. Exit code 1 when one fails'))
      .option('--live', 'on what is live, instead of what is staged')
      .option('--only <id...>', 'tests with these ids, or of these endpoints')
      .addHelpText('after', '\nExample:\n  savepoint test --only buys-an-axe sell-wood')
      // Otherwise an option after `run` would count as an option of `test`.
      .enablePositionalOptions()
      .action(async (options: TestOptions) => {
        const remote = remoteOf(options);
        const target = options.live ? 'live' : 'next';
        const told = (done: number, of: number) => progress(`${done} of ${of} tests`);
        const done = await runTests(remote, { target, only: options.only ?? null, folder: folderTests(remote.server.dir) }, told);
        endProgress();
        const found = { ok: done.failed === 0, projectId: remote.server.project, target, ...done };
        print(options.json ? stringifyJson(found) : testReport(done));
        if (done.failed > 0) process.exitCode = 1;
      })
      .addCommand(run())
  );
}

interface RunOptions extends CommonOptions {
  readonly target: PublishTarget;
}

function run(): Command {
  return command(
    'run',
    'run them dry on the real state: nothing of a run is stored. Exit code 1 when one fails',
    'savepoint test run p1 --target next',
  )
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
  // The list shows ids, because all tests without a name are named after their endpoint.
  const rows = results.map((result) => [
    result['passed'] === true ? 'passed' : 'FAILED',
    stringOrEmpty(result['id']),
    stringOrEmpty(result['name']),
    stringOrEmpty(result['reason']),
  ]);
  return `${table(['', 'ID', 'TEST', 'REASON'], rows)}\n${passed} of ${total} passed`;
}
