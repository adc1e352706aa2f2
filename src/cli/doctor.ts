import type { Command } from 'commander';
import { type CommonOptions, command, configOf, printResult, table } from './context.ts';

interface DoctorOptions extends CommonOptions {
  readonly port?: string;
  readonly host?: string;
}

/** `savepoint doctor`: checks everything that a node depends on, and says how to fix what fails. Exit code 1 if a check fails. */
export function doctorCommand(): Command {
  return command(
    'doctor',
    'check everything a node depends on, and say what to do; changes nothing',
    'savepoint doctor',
    'savepoint doctor --port 9000 --json',
  )
    .option('--port <port>', 'port that the node would listen on (default: PORT, or 8080)')
    .option('--host <address>', 'address that it would listen on (default: HOST, or 127.0.0.1)')
    .action(async (options: DoctorOptions) => {
      const config = configOf(options, { port: options.port, host: options.host });
      const [{ examine }, { createLogger }, { misspeltSettings }] = await Promise.all([
        import('../compose/doctor/examine.ts'),
        import('../logger.ts'),
        import('../config/misspelt.ts'),
      ]);
      const findings = await examine(config, misspeltSettings(process.env), createLogger({ level: 'silent' }));
      const failed = findings.filter(({ state }) => state === 'fail').length;
      printResult(options, { ok: failed === 0, findings }, () => {
        const rows = findings.map(({ what, state, found }) => [state === 'ok' ? 'ok' : state.toUpperCase(), what, found]);
        const cures = findings.flatMap(({ what, cure }) => (cure === null ? [] : [`${what}: ${cure}`]));
        return [table(['STATE', 'WHAT', 'FOUND'], rows), ...cures].join('\n\n');
      });
      if (failed > 0) process.exitCode = 1;
    });
}
