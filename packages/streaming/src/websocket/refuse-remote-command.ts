import { acceptWebSocket, type UpgradeRequest } from "./accept-web-socket.ts";
import { remoteCommandV5 } from "./remote-command.ts";

/** The channel of a command's outcome. */
const errorChannel = 3;

/**
 * Accepts the WebSocket of a client that offered v5.channel.k8s.io only to send it the outcome of a
 * command that never ran. Browsers hide every other answer to a handshake from their pages.
 * @param status a Status of the API
 */
export async function refuseRemoteCommand(upgrade: UpgradeRequest, status: object): Promise<void> {
  const webSocket = await acceptWebSocket(upgrade, remoteCommandV5);
  webSocket.on("error", () => {});
  const outcome = Buffer.concat([Buffer.from([errorChannel]), Buffer.from(JSON.stringify(status))]);
  webSocket.send(outcome, { binary: true }, () => webSocket.close(1000));
}
