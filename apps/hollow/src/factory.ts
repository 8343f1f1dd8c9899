export { Fleet, type FleetDeps, type FleetOptions } from "./fleet.ts";
export { fleetConfig, fleetFlags } from "./fleet-flags.ts";
export type { DriverOn, HollowNode, NodeServing } from "./node/hollow-node.ts";
export type { ConfigMapReader } from "./node/pod-answers.ts";
export { HollowServer } from "./serving/hollow-server.ts";
export { KeptLogs } from "./serving/kept-logs.ts";
