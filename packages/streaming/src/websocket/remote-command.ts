import type { Duplex, Readable, Writable } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { SpdySession } from "../spdy/spdy-session.ts";
import type { SpdyStream } from "../spdy/spdy-stream.ts";

// exec and attach over a WebSocket with subprotocol v5.channel.k8s.io, executed over SPDY/3.1, the
// runtimes' protocol (upstream's StreamTranslatorHandler). Each message begins with a byte that
// identifies its channel:
//
//   client → server:  0 stdin · 4 {"Width":80,"Height":24} · 255 <channel>: that channel has ended
//   server → client:  1 stdout · 2 stderr · 3 the outcome, a Status in JSON, once and last
//
// Each channel is a separate stream towards the runtime, named by the header "streamtype". FIN on
// stdin ends the input of the command of `echo hi | kubectl exec -i`.

export const remoteCommandV5 = "v5.channel.k8s.io";

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export interface RemoteCommandOptions {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

interface RuntimeStreams {
  error: SpdyStream;
  stdin: SpdyStream | undefined;
  stdout: SpdyStream | undefined;
  stderr: SpdyStream | undefined;
  resize: SpdyStream | undefined;
}

/** A runtime's outcome of a command has several hundred bytes. */
const outcomeBytesMax = 64 * 1024;

/**
 * Runs one command: `runtime` is a new upgraded SPDY connection. `onEnd` is called when the command
 * has ended by itself. Resolves when the command has ended or either end has disconnected. In both
 * cases everything is closed, except a client that is still reading the last bytes.
 */
export async function translateRemoteCommand(
  webSocket: WebSocket,
  runtime: { socket: Duplex; head: Buffer },
  options: RemoteCommandOptions & { onEnd?: (() => void) | undefined },
): Promise<void> {
  const session = new SpdySession(runtime.socket, { side: "client", head: runtime.head });
  const ended = session.run();
  webSocket.on("error", () => {});
  webSocket.on("close", () => session.destroy());
  // The client is not read before its data can be forwarded.
  webSocket.pause();
  try {
    const reads = clientReads(webSocket);
    await sayConnected(webSocket, options);
    const streams = await openStreams(session, options);
    takeInput(webSocket, streams);
    webSocket.resume();
    await reads;
    const outcome = await outcomeOf(webSocket, streams);
    // A client that has disconnected also ends the streams, but not the command.
    if (webSocket.readyState === webSocket.OPEN) options.onEnd?.();
    await finish(webSocket, outcome);
  } catch (error) {
    await finish(webSocket, internalErrorStatus((error as Error).message));
  }
  session.close();
  await ended;
}

/**
 * kubectl 1.30 to 1.33 makes its channels while it already reads, and drops the messages of
 * channels that do not exist yet (kubernetes/kubernetes#131203). On a busy machine a short command
 * ends before the client runs for the first time, and all of its output is lost. The answer to a
 * ping shows that the client runs, and one more round trip allows time for its channels. Every
 * WebSocket client has to answer pings (RFC 6455, 5.5.2).
 */
async function clientReads(webSocket: WebSocket): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await new Promise<void>((resolve) => {
      webSocket.once("pong", () => resolve());
      webSocket.once("close", () => resolve());
      webSocket.ping();
    });
  }
}

async function openStreams(session: SpdySession, options: RemoteCommandOptions): Promise<RuntimeStreams> {
  const open = (type: string) => session.openStream({ streamtype: [type] });
  const { stdin, stdout, stderr, tty } = options;
  // The order in which upstream's client opens the streams; runtimes begin when all expected
  // streams are open.
  const error = await open("error");
  // This end never sends on the stream.
  error.end();
  return {
    error,
    stdin: stdin ? await open("stdin") : undefined,
    stdout: stdout ? await open("stdout") : undefined,
    stderr: stderr && !tty ? await open("stderr") : undefined,
    resize: tty ? await open("resize") : undefined,
  };
}

/**
 * Sends an empty message on the client's first output channel, which clients interpret as the start
 * of the command.
 */
function sayConnected(webSocket: WebSocket, { stdout, stderr }: RemoteCommandOptions): Promise<void> {
  return send(webSocket, stdout ? channels.stdout : stderr ? channels.stderr : channels.error, Buffer.alloc(0));
}

function takeInput(webSocket: WebSocket, { error, stdin, resize }: RuntimeStreams): void {
  const write = (stream: Writable | undefined, bytes: Buffer) => {
    // The stream has no reader once the outcome is known; see `whole`.
    if (stream === undefined || stream.writableEnded || stream.destroyed || error.readableEnded) return;
    if (!stream.write(bytes)) webSocket.pause();
  };
  for (const stream of [stdin, resize]) {
    stream?.on("drain", () => webSocket.resume());
    stream?.on("close", () => webSocket.resume());
  }
  webSocket.on("message", (data: RawData) => {
    const bytes = data as Buffer;
    const rest = bytes.subarray(1);
    switch (bytes[0]) {
      case channels.stdin:
        return write(stdin, rest);
      case channels.resize:
        return write(resize, rest);
      case channels.close:
        if (rest[0] === channels.stdin) stdin?.end();
        if (rest[0] === channels.resize) resize?.end();
        return;
      default:
    }
  });
}

/** Passes on all output, then returns the command's outcome. */
async function outcomeOf(webSocket: WebSocket, { error, stdout, stderr }: RuntimeStreams): Promise<Buffer> {
  const [outcome] = await Promise.all([
    collect(error),
    passOn(webSocket, stdout, channels.stdout),
    passOn(webSocket, stderr, channels.stderr),
  ]);
  return outcome.byteLength === 0 ? Buffer.from(JSON.stringify({ metadata: {}, status: "Success" })) : outcome;
}

async function passOn(webSocket: WebSocket, from: Readable | undefined, channel: number): Promise<void> {
  if (from === undefined) return;
  for await (const bytes of whole(from)) await send(webSocket, channel, bytes as Buffer);
}

/**
 * Reads the stream to its end, and does not destroy it, because a destroyed stream would write a
 * reset to a runtime that may have closed the connection, and that error would discard the unread
 * bytes of the other streams.
 */
function whole(from: Readable): AsyncIterable<unknown> {
  return from.iterator({ destroyOnReturn: false });
}

async function collect(from: Readable): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of whole(from)) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    if (bytes.byteLength > outcomeBytesMax) throw new Error("the runtime's account of the command's end is too long");
  }
  return bytes;
}

/**
 * Resolves when the bytes have been passed to the network, so that a slow reader slows the command
 * down.
 */
function send(webSocket: WebSocket, channel: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    webSocket.send(Buffer.concat([Buffer.from([channel]), bytes]), { binary: true }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

/**
 * Sends the outcome, and the end. The client closes the connection when it has read everything. Its
 * later messages are dropped.
 */
async function finish(webSocket: WebSocket, outcome: Buffer): Promise<void> {
  if (webSocket.readyState !== webSocket.OPEN) return;
  await send(webSocket, channels.error, outcome).catch(() => {});
  webSocket.removeAllListeners("message");
  webSocket.resume();
  webSocket.close(1000);
}

function internalErrorStatus(message: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `Internal error occurred: ${message}`,
      reason: "InternalError",
      code: 500,
    }),
  );
}
