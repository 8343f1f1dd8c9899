export { MemoryCgroups } from "./memory-cgroups.ts";
export { MemoryFiles } from "./memory-files.ts";
export { MemoryMounts } from "./memory-mounts.ts";
export { ScriptedProber } from "./scripted-prober.ts";
export { quietMachine, quietMachineCpuMillicores, quietUsage } from "./test-node.ts";
export { kubeletRoutes } from "../server/routes.ts";
export { MemoryManifests } from "./memory-manifests.ts";
