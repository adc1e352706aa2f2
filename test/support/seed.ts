import fc from 'fast-check';

/**
 * Every run draws the same cases, so that what passed on one machine passes on the next. `SEED=7 npx vitest run test/property` draws
 * others. A test that fails prints the seed with which it fails again.
 */
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_240_515) });
