export { drainNode, type NodeDrainOptions } from "./drain/drain-node.ts";
