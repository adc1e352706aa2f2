/** A file that is generated. `npm run docs` writes it; `test/docs/generated.test.ts` compares it. */
export interface GeneratedFile {
  /** Its path in the repository. */
  readonly file: string;
  render(): string | Promise<string>;
}
