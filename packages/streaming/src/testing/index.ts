export { startStreamingRuntime, type StreamingRuntime } from "./streaming-runtime.ts";
