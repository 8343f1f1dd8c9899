export { duplexPair } from "./duplex-pair.ts";
export { forwardOnce, runStreamedCommand } from "./stream-client.ts";
export { startStreamingRuntime, type StreamingRuntime, type StreamingService } from "./streaming-runtime.ts";
