export { forwardOnce, runStreamedCommand } from "./stream-client.ts";
