import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { headerLines } from "../upgrade/dial-upgrade.ts";
import { SpdySession } from "../spdy/spdy-session.ts";
import type { SpdyStream } from "../spdy/spdy-stream.ts";

/** What a command of a test does with its streams; its outcome is the Status that the client gets. */
export type RunCommand = (streams: CommandStreams) => Promise<unknown>;

export interface CommandStreams {
  stdin: SpdyStream | undefined;
  stdout: SpdyStream | undefined;
  stderr: SpdyStream | undefined;
  resize: SpdyStream | undefined;
}

export interface StreamingRuntime extends AsyncDisposable {
  /** "http://127.0.0.1:34711"; the first part of the path and the query are the caller's. */
  readonly url: string;
  /** Connections that are open. */
  readonly connections: ReadonlySet<Duplex>;
}

export interface StreamingRuntimeOptions {
  /** Runs once the streams that it needs are there. */
  command?: { streams: readonly (keyof CommandStreams)[]; run: RunCommand };
  /** Gets the data stream of each forwarded connection, with the port that it is for. */
  forward?: (data: SpdyStream, port: number) => void;
  /** Answers every request so instead. */
  refusal?: { status: number; text: string };
}

/** The streaming server of a container runtime: HTTP, upgraded to SPDY/3.1. */
export async function startStreamingRuntime(options: StreamingRuntimeOptions): Promise<StreamingRuntime> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  const connections = new Set<Duplex>();
  server.on("upgrade", (request, socket) => {
    connections.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => connections.delete(socket));
    answer(options, request, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(options: StreamingRuntimeOptions, request: IncomingMessage, socket: Duplex): void {
  const { refusal, command, forward } = options;
  if (refusal !== undefined) {
    const { status, text } = refusal;
    socket.end(`${headerLines(`HTTP/1.1 ${status} no`, { "content-length": String(text.length) })}${text}`);
    return;
  }
  const versions = request.headers["x-stream-protocol-version"] ?? "";
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": versions };
  socket.write(headerLines("HTTP/1.1 101 Switching Protocols", headers));
  const streams = new Map<string, SpdyStream>();
  const session = new SpdySession(socket, {
    side: "server",
    onStream: (stream) => {
      const type = stream.headers["streamtype"]?.[0] ?? "";
      if (forward !== undefined) {
        if (type === "data") forward(stream, Number(stream.headers["port"]?.[0]));
        return;
      }
      streams.set(type, stream);
      if (command !== undefined && streams.size === command.streams.length + 1)
        void carryOut(command.run, streams, session);
    },
  });
  void session.run();
}

async function carryOut(
  run: RunCommand,
  streams: ReadonlyMap<string, SpdyStream>,
  session: SpdySession,
): Promise<void> {
  const [stdin, stdout, stderr, resize] = ["stdin", "stdout", "stderr", "resize"].map((type) => streams.get(type));
  const status = await run({ stdin, stdout, stderr, resize });
  stdout?.end();
  stderr?.end();
  const error = streams.get("error");
  await new Promise<void>((resolve) => error?.end(JSON.stringify(status), resolve));
  session.close();
}
