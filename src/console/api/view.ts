/** What pages of a project look at: which project, live or next, now or a moment. All of it is in the address. */

export type Target = 'live' | 'next';

/** The other of live and next. */
export function otherThan(target: Target): Target {
  return target === 'live' ? 'next' : 'live';
}

/** Live or next as an address has it, which is of live where it says nothing. */
export function targetIn(target: Target | null | undefined): 'next' | undefined {
  return target === 'next' ? target : undefined;
}

export interface ViewSearch {
  /** A revision, or a time with its zone. */
  readonly at?: string;
  readonly target?: 'next';
}

export interface View {
  readonly project: string;
  readonly at: string | undefined;
  readonly target: Target;
}

/** The parameters of a listing of definitions: without a target workflows are listed as they were pushed last. */
export function definitionsOf(view: View) {
  const { project, target } = view;
  const staged = target === 'next' ? { includeStaged: 'true' } : {};
  return { project, ...atOf(view), ...staged, revisionTarget: target, xNsPublishTarget: target };
}

/** The moment as a parameter of a request, where there is one. */
export function atOf({ at }: View): { readonly at?: string } {
  return at === undefined ? {} : { at };
}

/** The parameters that have a value: what is left out is not asked for. */
export function given<Asked extends object>(asked: Asked): { [Name in keyof Asked]?: Exclude<Asked[Name], undefined> } {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as ReturnType<typeof given<Asked>>;
}
