import { run } from './run.ts';

/** The `savepoint` program. */
await run(process.argv.slice(2));
