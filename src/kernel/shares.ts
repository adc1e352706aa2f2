/**
 * Places that many share, such as calls to a service: somebody may take another while they hold fewer than are free. So one alone gets
 * half of them at most and leaves the other half to whoever comes next, and who has many gets no more until the others have as many.
 */
export class Shares {
  readonly total: number;
  readonly #held = new Map<string, number>();
  #taken = 0;
  #refused = 0;

  constructor(total: number) {
    this.total = total;
  }

  /** How many are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** How often somebody was refused, since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Takes a place, which has to be given back; `false` for whoever has had their share. */
  take(who: string): boolean {
    if (this.mayTake(who)) {
      this.#held.set(who, (this.#held.get(who) ?? 0) + 1);
      this.#taken += 1;
      return true;
    }
    this.#refused += 1;
    return false;
  }

  /** Whether {@link take} would. */
  mayTake(who: string): boolean {
    return (this.#held.get(who) ?? 0) < this.total - this.#taken;
  }

  give(who: string): void {
    const held = this.#held.get(who) ?? 0;
    if (held === 0) return;
    this.#taken -= 1;
    if (held === 1) this.#held.delete(who);
    else this.#held.set(who, held - 1);
  }
}
