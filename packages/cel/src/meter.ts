/** The cost that evaluations may still have. An evaluation that goes beyond it has no result. */
export interface CelBudget {
  costLeft: number;
}

/**
 * The budget of the running evaluation. Evaluations are synchronous, so at most one runs at any
 * moment; the functions of an expression know nothing else to charge.
 */
let running: CelBudget = { costLeft: 0 };

/** Runs an evaluation at the cost of `budget`. */
export function withBudget<T>(budget: CelBudget, evaluate: () => T): T {
  const before = running;
  running = budget;
  try {
    return evaluate();
  } finally {
    running = before;
  }
}

/** Charges the running evaluation; returns false when its budget is used up. */
export function spend(cost: number): boolean {
  running.costLeft -= cost;
  return running.costLeft >= 0;
}
