/** What a sealed event keeps of a document that it stored whole. */
export class PackedText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
