export { MemoryCgroups } from "./memory-cgroups.ts";
export { MemoryFiles } from "./memory-files.ts";
export { MemoryManifests } from "./memory-manifests.ts";
export { MemoryMounts } from "./memory-mounts.ts";
export { quietMachine, quietMachineCpuMillicores, quietUsage } from "./quiet-machine.ts";
export { ScriptedProber } from "./scripted-prober.ts";
