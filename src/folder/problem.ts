/** What is wrong with a folder, its settings or its keys, in words that say what to do. The message is all that a user needs. */
export class FolderProblem extends Error {
  override readonly name = 'FolderProblem';
  /** The code by which programs tell problems apart. */
  readonly code: string;

  constructor(
    code: 'NO_FOLDER' | 'NO_ADDRESS' | 'NO_PROJECT' | 'NO_KEY' | 'NO_NODE' | 'BAD_FILE' | 'BAD_FOLDER' | 'LOCAL_CHANGES' | 'NOT_ASKED',
    message: string,
  ) {
    super(message);
    this.code = code;
  }
}
