export { anyBody } from "./any-body.ts";
export {
  collectGarbage,
  costFaults,
  keptBytesMax,
  type RequestCost,
  takenBytes,
  threadWorkedMs,
  TurnMeter,
  turnWorkedMsMax,
  withinLimits,
} from "./request-limits.ts";
export { storedTypes } from "./stored-types.ts";
