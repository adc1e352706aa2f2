import type { StepType } from '../contract/resources/step.ts';
import { weightOf } from '../domain/document/weight.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';
import { member } from '../kernel/path.ts';
import { type BudgetLimits, compileBudgets } from './budgets.ts';
import { compileBlock, compileInternalEndpoint, compileWorkflow } from './callable.ts';
import { compileAliases } from './expressions/aliases.ts';
import { language } from './expressions/compilers.ts';
import { LanguageError } from './expressions/errors.ts';
import type { Path } from './expressions/path.ts';
import { compileTakes } from './expressions/take.ts';
import { compileInput, type InputCheck } from './input.ts';
import { type Logic, normalise } from './normal/logic.ts';
import { readsName } from './reading.ts';
import { compileResponse, type Response } from './response.ts';
import { type Program, programOf } from './run-steps.ts';
import {
  type Body,
  type Callable,
  type Compilation,
  type CompiledStep,
  type Definitions,
  notSupported,
  type Step,
  type StepDefinition,
  type StepDefinitionOf,
  stepIn,
} from './step.ts';
import type { StepKind } from './step-kind.ts';
import { kindOf } from './steps/registry.ts';
import { compileWhen } from './steps/shared/when.ts';

/**
 * An endpoint, compiled into closures once per publish, so that a call parses nothing that the author wrote. A part that does not compile
 * does not make the endpoint unusable; only calls that reach it fail.
 */
export interface CompiledEndpoint {
  readonly program: Program;
  readonly aliases: ReadonlyMap<string, Path> | null;
  readonly response: Response;
  readonly input: InputCheck;
  readonly budgets: BudgetLimits | null;
  /** What templates see as `values`. */
  readonly values: JsonObject;
  /** Whether compiling all of it takes too long for one turn. If so, it has to be prepared before its first call. */
  readonly isLarge: boolean;
  /** Compiles the steps one by one, nested ones after their parents. */
  prepare(): Generator<undefined, void>;
}

/** Weight of a definition up to which it compiles within some milliseconds. */
const LARGE = 4000;
const MAX_NESTING = 16;

/** Never throws, whatever the definition holds. Workflows that it names are compiled when a call first reaches them. */
export function compileEndpoint(written: JsonObject, definitions: Definitions): CompiledEndpoint {
  const { definition } = normalise(written);
  const compilation = new EndpointCompilation(definitions, definition);
  return {
    program: programOf(compilation.list(definition.steps)),
    aliases: compileAliases(definition.let),
    response: compileResponse(language, definition.response),
    input: compileInput(definition.input),
    budgets: compileBudgets(definition.budgets),
    values: definitions.values,
    isLarge: weightOf(written) > LARGE,
    prepare: () => compilation.prepare(),
  };
}

class LazyStep implements Step {
  readonly definition: StepDefinition;
  readonly #make: () => CompiledStep;
  #made: CompiledStep | null = null;

  constructor(definition: StepDefinition, make: () => CompiledStep) {
    this.definition = definition;
    this.#make = make;
  }

  compiled(): CompiledStep {
    this.#made ??= this.#make();
    return this.#made;
  }
}

class EndpointCompilation implements Compilation {
  readonly language = language;
  readonly definitions: Definitions;
  readonly #definition: Logic;
  readonly #callables = new Map<string, Callable | undefined>();
  /** The definition of the steps being compiled: the endpoint, or what it calls. */
  #whole: Logic;
  #nesting = 0;
  readonly #steps: Step[] = [];

  constructor(definitions: Definitions, definition: Logic) {
    this.definitions = definitions;
    this.#definition = definition;
    this.#whole = definition;
  }

  list(json: Json | undefined, whole = this.#whole): readonly Step[] {
    if (json === undefined || json === null) return [];
    if (this.#nesting >= MAX_NESTING) throw new LanguageError(`Steps may be nested at most ${MAX_NESTING} deep.`);
    const nesting = this.#nesting + 1;
    const steps = (isArray(json) ? json : [json]).map((item) => this.#step(item, whole, nesting));
    for (const step of steps) this.#steps.push(step);
    return steps;
  }

  *prepare(): Generator<undefined, void> {
    for (let at = 0; at < this.#steps.length; at += 1) {
      this.#steps[at]?.compiled();
      yield;
    }
  }

  reads(name: string): boolean {
    return readsName(this.#whole, name);
  }

  callable(name: string): Callable | undefined {
    if (!this.#callables.has(name)) this.#callables.set(name, this.#resolve(name));
    return this.#callables.get(name);
  }

  /** Looks for a workflow, then for an internal endpoint, then for a block of this definition, or of a library (`library.block`). */
  #resolve(name: string): Callable | undefined {
    const workflow = this.definitions.workflow(name);
    if (workflow !== undefined) return compileWorkflow(this, normalise(workflow.definition).definition);
    const endpoint = this.definitions.endpoint(name);
    if (endpoint?.internal === true && endpoint.enabled) return compileInternalEndpoint(this, normalise(endpoint.definition).definition);
    const dot = name.indexOf('.');
    if (dot < 0) return this.ownBlock(name);
    const library = this.#library(name.slice(0, dot));
    return library?.ownBlock(name.slice(dot + 1));
  }

  ownBlock(name: string): Callable | undefined {
    const { blocks } = this.#definition;
    const written = member(objectOf(blocks), name);
    return isObject(written) ? compileBlock(this, written) : undefined;
  }

  /** A library. Its blocks call each other by their names alone. In older definitions a workflow may hold blocks. */
  #library(id: string): EndpointCompilation | undefined {
    const library = this.definitions.library?.(id) ?? this.definitions.workflow(id);
    return library === undefined ? undefined : new EndpointCompilation(this.definitions, normalise(library.definition).definition);
  }

  #step(json: Json, whole: Logic, nesting: number): Step {
    const definition: StepDefinitionOf<StepType> = stepIn(objectOf(json));
    const kind = kindOf(definition.json);
    return new LazyStep(definition, () => {
      const outer = [this.#whole, this.#nesting] as const;
      [this.#whole, this.#nesting] = [whole, nesting];
      try {
        return {
          aliases: compileAliases(definition.json.let),
          when: Object.hasOwn(definition.json, 'when') ? compileWhen(language, definition.json.when) : null,
          budget: kind?.budget ?? null,
          body: this.#body(definition, kind),
        };
      } finally {
        [this.#whole, this.#nesting] = outer;
      }
    });
  }

  /** Binds the items that a `let` takes before the step runs. */
  #taking(definition: StepDefinitionOf<StepType>, body: Body): Body {
    const take = compileTakes(this.language, definition.json.let);
    if (take === null) return body;
    return (frame) => {
      take(frame.scope);
      return body(frame);
    };
  }

  /** The body of a step. When it is reached, a step of unknown type fails with 501, and one that does not compile with 400. */
  #body(definition: StepDefinitionOf<StepType>, kind: StepKind<StepType> | undefined): Body {
    if (kind === undefined)
      return fails(notSupported(definition, definition.type === '' ? 'a step without a type' : `the type "${definition.type}"`));
    try {
      const body = kind.compile(definition, this);
      return kind.isLoop === true ? body : this.#taking(definition, body);
    } catch (error) {
      if (!(error instanceof LanguageError)) throw error;
      return fails(error);
    }
  }
}

function fails(error: Error): Body {
  return () => {
    throw error;
  };
}
