import type { Findings } from '../../domain/finding.ts';
import { type ClosedDocuments, documentsAt, hasNo, pathFinding } from './fields.ts';
import { BUILT_IN } from './names.ts';
import type { Shape, ShapedNames } from './shape.ts';

/** The names that the texts of a query see: those of its row's document, and those that every template has. */
export class RowNames implements ShapedNames {
  readonly #documents: ClosedDocuments;
  readonly #findings: Findings;

  constructor(documents: ClosedDocuments, findings: Findings) {
    this.#documents = documents;
    this.#findings = findings;
  }

  shapeOf(name: string): Shape | undefined {
    if (name === 'key' || name === 'playerProfile' || BUILT_IN.includes(name)) return 'open';
    const found = documentsAt(this.#documents, [name]);
    if (found !== null) return found;
    return hasNo(this.#documents, name) ? undefined : 'open';
  }

  unknown(name: string, pointer: string): void {
    pathFinding(this.#documents, name, pointer, this.#findings);
  }

  /** A field of the row comes first. */
  isRebound(name: string): boolean {
    return !hasNo(this.#documents, name);
  }

  isBoundBesidesItems(): boolean {
    return false;
  }
}
