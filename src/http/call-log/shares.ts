/**
 * Bounds how many refusals of one source the call log takes, so that nobody pushes out what support looks for: of a project it keeps so
 * many refusals, whoever made them. A source is a client's address, a secret key, or all who have no valid key. Those beyond its share are
 * counted.
 */

const HOUR_MS = 3_600_000;
/** Sources that are counted in an hour. All others of a project have one share together, and so have further projects. */
const MAX_SOURCES = 20_000;

export class RefusalShares {
  /** Most refusals of a source in an hour. */
  readonly #share: number;
  readonly #miss: (project: string, missed: number) => void;
  /** By project and source. */
  readonly #counts = new Map<string, number>();
  readonly #missed = new Map<string, number>();
  #hour = -1;

  /** `miss` gets, once the hour is over, how many refusals of a project were beyond the shares. */
  constructor(share: number, miss: (project: string, missed: number) => void) {
    this.#share = share;
    this.#miss = miss;
  }

  /** Whether one more refusal of the source is within its share. `weight`: how many shares it has. */
  takes(project: string, source: string, at: number, weight = 1): boolean {
    this.#turn(Math.floor(at / HOUR_MS));
    const name = this.#counted(project, source);
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (count <= this.#share * weight) return true;
    if (this.#missed.has(project) || this.#missed.size < MAX_SOURCES) this.#missed.set(project, (this.#missed.get(project) ?? 0) + 1);
    return false;
  }

  #counted(project: string, source: string): string {
    const [own, others] = [`${project} ${source}`, `${project} others`];
    if (this.#counts.has(own) || this.#counts.size < MAX_SOURCES) return own;
    return this.#counts.has(others) || this.#counts.size < 2 * MAX_SOURCES ? others : '';
  }

  #turn(hour: number): void {
    if (hour === this.#hour) return;
    this.#hour = hour;
    for (const [project, missed] of this.#missed) this.#miss(project, missed);
    this.#missed.clear();
    this.#counts.clear();
  }
}
