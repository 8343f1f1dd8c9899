import { once } from "node:events";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { breakWhenIdle } from "./relay.ts";
import { acceptWebSocket, type UpgradeRequest } from "../websocket/accept-web-socket.ts";

/** The form of the messages in which a body is sent, as apiserver's wsstream.Reader does it. */
export interface MessageForm {
  /**
   * The protocol that the client offered and gets; undefined if the client did not offer a
   * protocol.
   */
  protocol: string | undefined;
  /** True if messages are base64 texts instead of raw bytes. */
  base64: boolean;
}

/**
 * A body that only the server sends may be silent for any time; only an unreachable client is
 * detected.
 */
const noIdleTimeout = 0;

/**
 * Accepts a WebSocket and sends a body in messages, as fast as the client reads them, after an
 * empty message that shows that it is connected. Messages of the client are ignored. Resolves when
 * everything is sent, or the client has disconnected.
 */
export async function sendMessages(
  upgrade: UpgradeRequest,
  body: AsyncIterable<Uint8Array>,
  form: MessageForm,
): Promise<void> {
  breakWhenIdle(upgrade.socket as Socket, noIdleTimeout);
  const webSocket = await acceptWebSocket(upgrade, form.protocol);
  webSocket.on("error", () => {});
  try {
    await sendMessage(webSocket, new Uint8Array(), form);
    for await (const bytes of body) {
      if (webSocket.readyState !== webSocket.OPEN) return;
      await sendMessage(webSocket, bytes, form);
    }
    webSocket.close();
    await once(webSocket, "close");
  } catch {
    // The sent part must not look complete, so the connection is closed without a handshake.
    webSocket.terminate();
  }
}

function sendMessage(webSocket: WebSocket, bytes: Uint8Array, { base64 }: MessageForm): Promise<void> {
  const data = base64 ? Buffer.from(bytes).toString("base64") : bytes;
  return new Promise((resolve, reject) => {
    webSocket.send(data, { binary: !base64 }, (error) => (error ? reject(error) : resolve()));
  });
}
