export { assembleKubelet as createKubelet, type Kubelet } from "./kubelet.ts";
export type { KubeletDeps } from "./kubelet-deps.ts";
export {
  type KubeletOptions,
  kubeletDefaults,
  kubeletFlags,
  kubeletOptions,
  kubeletVersion,
} from "./kubelet-options.ts";
export type { FileKind, Files } from "./machine/files/files.ts";
export type { Machine, MachineFacts, MachineUsage } from "./machine/kernel/machine.ts";
export type { Handler, ProbeKind, ProbeOutcome, Prober, ProbeTarget } from "./pods/probes/prober.ts";
export { apiConfigSource, type ConfigSource } from "./containers/environment/config-source.ts";
export { linuxMounts } from "./machine/files/linux-mounts.ts";
export type { BindRequest, Mounts } from "./machine/files/mounts.ts";
export { manifestDirectory } from "./pods/static/manifest-directory.ts";
export { nodeFiles } from "./machine/files/node-files.ts";
export { createLinuxMachine, kernelBootIdFile, type LinuxMachineOptions } from "./machine/kernel/linux-machine.ts";
export type { CgroupLimits } from "./machine/kernel/cgroups.ts";
export type { Cgroups } from "./machine/kernel/cgroups.ts";
export { linuxCgroups } from "./machine/kernel/linux-cgroups.ts";
export { createProber } from "./pods/probes/network-prober.ts";
export { type KernelLog, linuxKernelLog } from "./machine/kernel/kernel-log.ts";
