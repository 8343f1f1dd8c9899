export { drainNode, type NodeDrainOptions } from "./drain/drain-node.ts";
export { readWorld } from "./explain/read-world.ts";
