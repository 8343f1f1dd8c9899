/**
 * The scenarios and example clusters that are part of Kintsugi, by name; the bundler makes this
 * module.
 */
declare module "shipped-scenarios" {
  export const shippedScenarios: Readonly<Record<string, string>>;
  export const exampleClusters: Readonly<Record<string, string>>;
}

/** The package `events`, whose name resolves to src/node/events.ts. */
declare module "events-of-browser" {
  export { EventEmitter, once } from "node:events";
}

// The globals of a worker, because the types of browsers and of Node contradict each other in other
// globals.
declare function postMessage(message: unknown): void;
declare let onmessage: ((event: { data: never }) => void) | null;
