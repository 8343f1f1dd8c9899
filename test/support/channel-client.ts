import { WebSocket } from "ws";

/**
 * The framing of Kubernetes' channel protocols: binary messages, or text messages that are base64.
 */
export type Framing = "binary" | "base64";

/**
 * An open connection of channels; the first byte, or digit, of a message identifies its channel.
 */
export interface ChannelSession extends AsyncDisposable {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  send(channel: number, text: string): void;
  /** Everything that arrived on a channel so far. */
  received(channel: number): Buffer;
  readonly closed: Promise<void>;
}

/** @throws when the server refuses. */
export async function openChannels(
  url: string,
  protocol: string,
  { ca, cert, key }: { ca: Buffer; cert: Buffer; key: Buffer },
): Promise<ChannelSession> {
  const framing: Framing = protocol.includes("base64") ? "base64" : "binary";
  const socket = new WebSocket(url, protocol, { ca, cert, key });
  const channels = new Map<number, Buffer>();
  socket.on("message", (message: Buffer) => {
    const { channel, data } = parse(message, framing);
    channels.set(channel, Buffer.concat([channels.get(channel) ?? Buffer.alloc(0), data]));
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => socket.once("open", () => resolve()).once("error", reject));
  return {
    protocol: socket.protocol,
    send: (channel, text) => socket.send(frame(channel, text, framing)),
    received: (channel) => channels.get(channel) ?? Buffer.alloc(0),
    closed,
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  };
}

function frame(channel: number, text: string, framing: Framing): Buffer | string {
  if (framing === "base64") return `${channel}${Buffer.from(text).toString("base64")}`;
  return Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
}

function parse(message: Buffer, framing: Framing): { channel: number; data: Buffer } {
  if (framing === "binary") return { channel: message[0] ?? 0, data: message.subarray(1) };
  const text = message.toString("latin1");
  return { channel: Number(text[0]), data: Buffer.from(text.slice(1), "base64") };
}
