/**
 * The remaining cost budget of evaluations. An evaluation that exceeds the budget does not return a
 * result.
 */
export interface CelBudget {
  costLeft: number;
}

/** The surroundings of an evaluation, in addition to its variables. */
export interface CelWorld {
  /** Decides the checks of `authorizer`; absent where expressions have no `authorizer`. */
  authorize?(check: CelAuthorization): { allowed: boolean; reason: string };
}

/** An action that an expression checks. */
export interface CelAuthorization {
  /** The account that replaces the sender of the request, as namespace and name. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | undefined;
  readonly verb: string;
  /** The path of a request that does not concern a resource; "" for a request about a resource. */
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

interface Running {
  readonly budget: CelBudget;
  readonly world: CelWorld;
}

/**
 * The running evaluation. Evaluations are synchronous, so at most one runs at any moment. The
 * functions of an expression find the budget that they charge only here.
 */
let running: Running = { budget: { costLeft: 0 }, world: {} };

/** Runs an evaluation at the cost of `budget`. */
export function withBudget<T>(budget: CelBudget, world: CelWorld, evaluate: () => T): T {
  const before = running;
  running = { budget, world };
  try {
    return evaluate();
  } finally {
    running = before;
  }
}

/** Charges the running evaluation; returns false when its budget is used up. */
export function spend(cost: number): boolean {
  const { budget } = running;
  budget.costLeft -= cost;
  return budget.costLeft >= 0;
}

/** Charges the running evaluation. @throws Error when its budget is used up. */
export function charge(cost: number): void {
  if (!spend(cost)) throw new Error("the expression costs more than its budget");
}

/**
 * The remaining cost budget of the running evaluation, so that values are not measured beyond the
 * budget.
 */
export function costLeft(): number {
  return running.budget.costLeft;
}

/** @throws Error when the running evaluation may not use the authorizer. */
export function authorizeNow(check: CelAuthorization): { allowed: boolean; reason: string } {
  const { world } = running;
  if (world.authorize === undefined) throw new Error("no such overload: there is no authorizer");
  return world.authorize(check);
}
