export { explainObject, type Explained, explainers } from "./explain.ts";
export {
  type Due,
  type Explanation,
  byImportance,
  type ExplainedReason,
  type ReasonCode,
  reasonCodes,
  type Remedy,
  type ExplainedObject,
  type TimerName,
} from "./explanation.ts";
export { budgetReasons, budgetsOf } from "./others/budget.ts";
export { explanationText } from "./text/write-text.ts";
export { listed, singleLine } from "./words/phrases.ts";
export type { KindsRead, Objects, World } from "./world.ts";
export { withCommandsHere } from "./words/explanation-here.ts";
