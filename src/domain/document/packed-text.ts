/** All that is left of a document in an event that has stored it whole, once the event is sealed. */
export class PackedText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
