export type { AdoptedContainer, AdoptedPod } from "./fake/adopted.ts";
export { aContainerConfig, aSandboxConfig } from "./configs.ts";
export {
  type FakeRuntime,
  createFakeRuntime,
  type FakeRuntimeDeps,
  type FakeRuntimeOptions,
} from "./fake/fake-runtime.ts";
export { type CallName, faultyRuntime, podCalls, type RuntimeCall, type RuntimeFaults } from "./fake/faults.ts";
export { FileLogs, type LogSink, LogWriter, MemoryLogs } from "./fake/logs.ts";
export { ScriptedFaults } from "./fake/scripted-faults.ts";
export type { ContainerHappening, ContainerWitness } from "./fake/witness.ts";
export { type FakeStreams } from "./fake/streams.ts";
export { type ContainerProgram, programOf, scriptAnnotation, scriptRegistry } from "./script/container-program.ts";
export { type CriProxyOptions, startCriProxy } from "./server/cri-proxy.ts";
export { type CriServer, serveCri, type ServeCriOptions } from "./server/serve-cri.ts";
