import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { headerLines } from "../upgrade/dial-upgrade.ts";
import { SpdySession } from "../spdy/spdy-session.ts";
import type { SpdyStream } from "../spdy/spdy-stream.ts";

/**
 * The work of a test's command on its streams; its outcome is the Status that the client receives.
 */
export type RunCommand = (streams: CommandStreams) => Promise<unknown>;

export interface CommandStreams {
  stdin: SpdyStream | undefined;
  stdout: SpdyStream | undefined;
  stderr: SpdyStream | undefined;
  resize: SpdyStream | undefined;
}

export interface StreamingRuntime extends AsyncDisposable {
  /** "http://127.0.0.1:34711". */
  readonly url: string;
  /** Connections that are open. */
  readonly connections: ReadonlySet<Duplex>;
}

/** The service behind one address. */
export interface StreamingService {
  /** Runs once the streams that the service needs are open. */
  command?: { streams: readonly (keyof CommandStreams)[]; run: RunCommand };
  /** Receives the two streams of each forwarded connection, with its port. */
  forward?: (streams: { data: SpdyStream; error: SpdyStream }, port: number) => void;
  /** Answers with this response instead. */
  refusal?: { status: number; text: string };
}

/**
 * The streaming server of a container runtime: HTTP, upgraded to SPDY/3.1. `serve` returns the
 * service at a path; other paths are answered with 404.
 */
export async function startStreamingRuntime(
  serve: (path: string) => StreamingService | undefined,
): Promise<StreamingRuntime> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  const connections = new Set<Duplex>();
  server.on("upgrade", (request, socket) => {
    connections.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => connections.delete(socket));
    const notFound = { refusal: { status: 404, text: "404 page not found" } };
    answer(serve(request.url ?? "/") ?? notFound, request, socket);
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

function answer(service: StreamingService, request: IncomingMessage, socket: Duplex): void {
  const { refusal, command, forward } = service;
  if (refusal !== undefined) {
    const { status, text } = refusal;
    const headers = { "content-length": String(text.length), connection: "close" };
    socket.end(`${headerLines(`HTTP/1.1 ${status} no`, headers)}${text}`);
    return;
  }
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": chosenVersion(request) };
  socket.write(headerLines("HTTP/1.1 101 Switching Protocols", headers));
  const streams = new Map<string, SpdyStream>();
  const session = new SpdySession(socket, {
    side: "server",
    onStream: (stream) => {
      const type = stream.headers["streamtype"]?.[0] ?? "";
      if (forward !== undefined) return joinPair(streams, stream, forward);
      streams.set(type, stream);
      if (command !== undefined && streams.size === command.streams.length + 1)
        void carryOut(command.run, streams, session);
    },
  });
  void session.run();
}

/**
 * Returns the best of the versions that the client offers, because old clients fail if several
 * versions are offered.
 */
function chosenVersion({ headers }: IncomingMessage): string {
  const offered = String(headers["x-stream-protocol-version"] ?? "").split(",");
  return offered[0]?.trim() ?? "";
}

/**
 * The two streams of one forwarded connection carry the same request id; the error stream is first.
 */
function joinPair(
  waiting: Map<string, SpdyStream>,
  stream: SpdyStream,
  forward: NonNullable<StreamingService["forward"]>,
): void {
  const id = stream.headers["requestid"]?.[0] ?? "";
  const error = waiting.get(id);
  if (error === undefined) waiting.set(id, stream);
  else forward({ data: stream, error }, Number(stream.headers["port"]?.[0]));
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
