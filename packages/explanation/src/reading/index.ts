export { explainNamed } from "./explain-named.ts";
export { type ExplainTarget, parseExplainTarget } from "./explain-target.ts";
export { NotExplainable, type ObjectReader } from "./object-reader.ts";
export { readWorld } from "./read-world.ts";
