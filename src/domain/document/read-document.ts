import type { JsonObject } from '../../kernel/json.ts';
import type { SchemaModel } from '../model.ts';
import { fillDefaults } from './schema.ts';

/** A document as stored and as it reads. Defaults are filled in once, when it is first read. */
export class ReadDocument {
  readonly stored: JsonObject;
  readonly #reads: SchemaModel;
  #asRead: JsonObject | null = null;

  /** `reads`: the schema whose defaults readers see. */
  constructor(reads: SchemaModel, stored: JsonObject) {
    this.#reads = reads;
    this.stored = stored;
  }

  get asRead(): JsonObject {
    this.#asRead ??= fillDefaults(this.#reads, this.stored);
    return this.#asRead;
  }

  /** Another document that readers see by the same schema. */
  becoming(stored: JsonObject): ReadDocument {
    return stored === this.stored ? this : new ReadDocument(this.#reads, stored);
  }
}
