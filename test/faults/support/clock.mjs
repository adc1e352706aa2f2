// A wall clock that a test sets: preloaded into a node (`NODE_OPTIONS=--import`), it adds the milliseconds in the file that
// SAVEPOINT_TEST_CLOCK names. Timers and performance.now() go on as they do when a machine's clock is set.
import { readFileSync } from 'node:fs';

const file = process.env.SAVEPOINT_TEST_CLOCK;
const SystemDate = Date;
let ahead = 0;

globalThis.Date = class extends SystemDate {
  constructor(...given) {
    if (given.length === 0) super(SystemDate.now() + ahead);
    else super(...given);
  }

  static now() {
    return SystemDate.now() + ahead;
  }
};

const look = () => {
  ahead = Number(readFileSync(file, 'utf8'));
};
look();
setInterval(look, 10).unref();
