export { duplexPair } from "./duplex-pair.ts";
export { dialUpgrade, headerLines, streamIdleTimeoutMs } from "./upgrade/dial-upgrade.ts";
export { forwardStream } from "./upgrade/forward-stream.ts";
export { breakWhenIdle, joinUpgraded, relay } from "./upgrade/relay.ts";
export type { UpgradeRequest } from "./websocket/accept-web-socket.ts";
export type { RemoteCommandOptions } from "./websocket/remote-command.ts";
export { type MessageForm, sendMessages } from "./upgrade/send-messages.ts";
export { refuseRemoteCommand } from "./websocket/refuse-remote-command.ts";
