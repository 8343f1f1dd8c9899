export { explainNamed } from "./explain-named.ts";
export { type ExplainTarget, parseExplainTarget } from "./explain-target.ts";
export { NotExplainable, type ExplanationReader } from "./object-reader.ts";
export { readWorld } from "./read-world.ts";
