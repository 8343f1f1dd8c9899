export { assembleKubelet as createKubelet, type Kubelet, type KubeletDeps } from "./kubelet.ts";
export { type KubeletOptions, kubeletDefaults, kubeletVersion } from "./kubelet-options.ts";
export type { FileKind, Files } from "./files/files.ts";
export type { Machine, MachineFacts, MachinePressure } from "./node/machine.ts";
export type { Handler, ProbeOutcome, Prober, ProbeTarget } from "./probes/prober.ts";
export { apiConfigSource, type ConfigSource } from "./containers/config-source.ts";
