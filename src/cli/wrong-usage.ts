/** An option or argument that is none, or that goes with no other that is there. The message says what is allowed. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
