/** A problem of a folder, its settings or its keys. The message says what to do, and is all that a user needs. */
export class FolderProblem extends Error {
  override readonly name = 'FolderProblem';
  /** A code for programs. */
  readonly code: string;

  constructor(
    code:
      | 'NO_FOLDER'
      | 'NO_CONSOLE'
      | 'NO_ADDRESS'
      | 'NO_PROJECT'
      | 'NO_KEY'
      | 'NO_NODE'
      | 'BAD_FILE'
      | 'BAD_FOLDER'
      | 'LOCAL_CHANGES'
      | 'NOT_ASKED',
    message: string,
  ) {
    super(message);
    this.code = code;
  }
}
