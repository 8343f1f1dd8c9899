import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import {
  breakWhenIdle,
  dialUpgrade,
  joinUpgraded,
  refuseRemoteCommand,
  streamIdleTimeoutMs,
  type UpgradeRequest,
} from "@kintsugi/streaming";

/**
 * Carries terminals of the page to the API server, which interprets them like terminals of kubectl.
 */
export interface TerminalCarrier {
  /**
   * Resolves when the terminal is connected or refused; the page receives the reason for a refusal.
   */
  carry(upgrade: UpgradeRequest): Promise<void>;
  /** Closes every terminal. */
  close(): void;
}

export interface TerminalCarrierDeps {
  /** Makes a request with the kubeconfig's credentials, on a separate connection. */
  request(target: string, headers: OutgoingHttpHeaders): ClientRequest;
}

/** Limit on terminals, because people use a few; a page that opens more does so by mistake. */
const terminalsMax = 16;
/** A refusal is a Status with a sentence. */
const refusalBytesMax = 64 * 1024;
/**
 * The headers of the handshake. Extensions are omitted, because the kubelet does not support them.
 */
const handshakeHeaders = ["sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol"] as const;

export function createTerminalCarrier(deps: TerminalCarrierDeps): TerminalCarrier {
  const open = new Set<Socket>();
  return {
    async carry(upgrade) {
      const socket = upgrade.socket as Socket;
      socket.on("error", () => {});
      if (open.size >= terminalsMax) return refuse(upgrade, `${terminalsMax} terminals are open: close one of them`);
      const gone = new AbortController();
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        gone.abort(new Error("the page has closed the terminal"));
      });
      try {
        const headers = Object.fromEntries(handshakeHeaders.map((name) => [name, upgrade.request.headers[name]]));
        const outgoing = deps.request(upgrade.request.url ?? "/", {
          ...headers,
          connection: "Upgrade",
          upgrade: "websocket",
        });
        const answer = await dialUpgrade(outgoing, { signal: gone.signal });
        if (!answer.upgraded) return await refuse(upgrade, await sentenceOf(answer.response));
        breakWhenIdle(socket, streamIdleTimeoutMs);
        joinUpgraded(upgrade, answer);
      } catch (error) {
        await refuse(upgrade, `the API server cannot be reached: ${(error as Error).message}`);
      }
    },
    close() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** A browser hides answers that are not a WebSocket, so the message is sent over a WebSocket. */
async function refuse(upgrade: UpgradeRequest, message: string): Promise<void> {
  if (upgrade.socket.destroyed) return;
  await refuseRemoteCommand(upgrade, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message });
}

/** The message of a Status, or the text of another answer. */
async function sentenceOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > refusalBytesMax) break;
  }
  const text = Buffer.concat(chunks).toString().trim();
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === "string") return message;
  } catch {
    // Answers of kubelets are plain text.
  }
  return text === "" ? `the API server answered ${response.statusCode}` : text;
}
