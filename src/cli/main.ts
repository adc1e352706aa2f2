import { run } from './run.ts';

/** The `savepoint` program. */

const words = process.argv.slice(2);

// Whoever reads the output may stop before its end, as `| head` does: then a command has nothing more to do. A node goes on serving.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (words[0] !== 'start') process.exit();
  });
}

await run(words);
