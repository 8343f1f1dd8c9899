export { MemoryFiles } from "./memory-files.ts";
export { ScriptedProber } from "./scripted-prober.ts";
export { quietMachine } from "./test-node.ts";
