import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** axe-core on a page of a browser. */

export interface Evaluating {
  evaluate<Value>(script: string): Promise<Value>;
}

export interface AxeFinding {
  /** Its rule. */
  readonly id: string;
  readonly impact: 'minor' | 'moderate' | 'serious' | 'critical';
  /** The elements, as far as that tells which. */
  readonly at: readonly string[];
}

/** Loaded once. */
let source: string | null = null;

export async function axeFindings(page: Evaluating): Promise<readonly AxeFinding[]> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate<unknown>(source);
  return page.evaluate<readonly AxeFinding[]>(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations
    .map(({ id, impact, nodes }) => ({ id, impact, at: nodes.map(({ html }) => html.slice(0, 160)) })))`);
}

/** Whether it keeps people out. */
export const isSerious = ({ impact }: AxeFinding): boolean => impact === 'serious' || impact === 'critical';
