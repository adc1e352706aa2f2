/** Thrown for an invalid option or argument, or a combination that is not allowed. The message says what is allowed. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
