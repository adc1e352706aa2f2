import { type DefinitionForm, type DefinitionName, shownDefinition } from '../../domain/definition/release/steps.ts';
import type { Json } from '../../kernel/json.ts';
import type { Past } from '../past/past.ts';
import type { Project } from '../project/project.ts';

/** The texts of a definition as its steps need them: the one after a step is the one before the next. */
export class Texts {
  readonly #past: Past;
  readonly #project: Project;
  readonly #name: DefinitionName;
  #known = new Map<string, string>();
  /** Characters that were read. */
  length = 0;

  constructor(past: Past, project: Project, name: DefinitionName) {
    this.#past = past;
    this.#project = project;
    this.#name = name;
  }

  /** What the target showed with these texts; `likely`: as {@link Past.definitionText} takes it. */
  async shown({ live, staged }: DefinitionForm, revision: number, likely: number): Promise<Json> {
    return shownDefinition(this.#name, await this.#text(live, revision, likely), await this.#text(staged, revision, likely));
  }

  async #text(hash: string | null, revision: number, likely: number): Promise<string | null> {
    if (hash === null) return null;
    const known = this.#known.get(hash);
    const text = known ?? (await this.#past.definitionText(this.#project, hash, revision, likely));
    if (known === undefined) this.length += text.length;
    // Those of one step: two layers before, two after.
    this.#known = new Map([...this.#known, [hash, text] as const].slice(-4));
    return text;
  }
}
