import { endProcess } from '../../infra/postgres/process-exit.ts';
import { run } from './run.ts';

/** The `savepoint` program. */

const words = process.argv.slice(2);

// The reader of the output may stop before its end, as `| head` does; then a command has nothing more to do. The disk may also be full. A
// node goes on serving in either case.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (words[0] === 'start') return;
    if (error.code === 'EPIPE') return void endProcess();
    if (output === process.stdout) process.stderr.write(`savepoint: the output cannot be written: ${error.message}\n`);
    void endProcess(1);
  });
}

await run(words);
