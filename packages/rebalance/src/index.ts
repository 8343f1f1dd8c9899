export { forecastRebalance, type Forecast } from "./forecast.ts";
export { observeWorld } from "./observe.ts";
export type { HeldCrowd, RebalanceMove } from "./plan.ts";
export { type MoveNote, Rebalancer, type RebalanceStep } from "./rebalancer.ts";
export type { ObservedObjects, RebalanceOptions, RebalanceWorld } from "./world.ts";
