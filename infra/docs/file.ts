/** A file that is made from the code. `npm run docs` writes it; `test/docs/generated.test.ts` compares it. */
export interface GeneratedFile {
  /** Its path in the repository. */
  readonly file: string;
  render(): string | Promise<string>;
}
