export { compileCel, type CelExpression, type CelOutcome } from "./expression.ts";
export type { Expr } from "./expr.ts";
export { optionalOf } from "./library/optionals.ts";
export type { CelBudget } from "./meter.ts";
