import { endProcess } from '../../infra/postgres/process-exit.ts';
import { run } from './run.ts';

/** The `savepoint` program. */

const words = process.argv.slice(2);

// Output may fail: its reader has stopped, as `| head` does, or the disk is full. A command then has nothing more to do, but a node goes on
// serving.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (words[0] === 'start') return;
    if (error.code === 'EPIPE') return void endProcess();
    if (output === process.stdout) process.stderr.write(`savepoint: the output cannot be written: ${error.message}\n`);
    void endProcess(1);
  });
}

await run(words);
