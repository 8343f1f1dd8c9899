export { startVirtualCluster, VirtualCluster, type VirtualClusterOptions } from "./cluster/virtual-cluster.ts";
export { simulateSeed, type SimulationOptions, type SimulationResult } from "./seeds/simulate-seed.ts";
