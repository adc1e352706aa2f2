import { type Refusal, refusal } from '../kernel/errors.ts';

/** The refusal if there is no installation. `where`: such as `in /srv/data`. */
export function notInstalled(where: string): Refusal {
  const ways = '--data DIR or SAVEPOINT_DATA names the data folder of one, DATABASE_URL its Postgres; `savepoint start` makes a new one';
  return refusal('NOT_FOUND', `There is no installation ${where}, and nothing was made. ${ways}`);
}
