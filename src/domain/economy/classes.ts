import { type Amount, minus, plus, signOf, smaller } from './amount.ts';

/** What one commit did to one currency in one place: all its entries of one field and source. */
export interface Flow {
  readonly source: string;
  readonly inflow: Amount;
  readonly outflow: Amount;
}

/** What of a flow came from nowhere, and what of it went nowhere. */
export interface Classed {
  faucet: Amount;
  sink: Amount;
}

/**
 * The classes of what one commit did to one currency. As much as came in and went out is *transfer*, from one place to another; what came
 * in beyond it is *faucet*, what went out beyond it *sink*. A flow is first settled with flows of its own source, then with others in their
 * order, so that a trade and a reward in one commit are told apart.
 */
export function classesOf(flows: readonly Flow[]): readonly Classed[] {
  const left = flows.map(({ inflow, outflow }) => ({ faucet: inflow, sink: outflow }));
  if (left.every(({ faucet }) => signOf(faucet) === 0) || left.every(({ sink }) => signOf(sink) === 0)) return left;
  for (const source of new Set(flows.map((flow) => flow.source))) settle(left.filter((_, at) => flows[at]?.source === source));
  settle(left);
  return left;
}

/** Takes from both sides what they have in common. */
function settle(flows: readonly Classed[]): void {
  const total = (side: keyof Classed) => flows.reduce<Amount>((sum, flow) => plus(sum, flow[side]), 0);
  const transfer = smaller(total('faucet'), total('sink'));
  take(flows, 'faucet', transfer);
  take(flows, 'sink', transfer);
}

function take(flows: readonly Classed[], side: keyof Classed, amount: Amount): void {
  let left = amount;
  for (const flow of flows) {
    if (signOf(left) === 0) return;
    const taken = smaller(flow[side], left);
    flow[side] = minus(flow[side], taken);
    left = minus(left, taken);
  }
}
