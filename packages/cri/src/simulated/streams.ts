import type { Readable } from "node:stream";
import type { Random } from "@kintsugi/clock";
import { startStreamingRuntime, type StreamingService } from "@kintsugi/streaming/simulated";
import type { CommandIo, FakeStreams } from "../simulated/runtime/streams.ts";

export interface ServedFakeStreams extends FakeStreams, AsyncDisposable {}

type Streams = NonNullable<StreamingService["command"]>["streams"];
type ForwardedStreams = Parameters<NonNullable<StreamingService["forward"]>>[0];

/**
 * A streaming server for a fake runtime: real connections on this host, each address valid once.
 */
export async function startFakeStreams({ random }: { random: Random }): Promise<ServedFakeStreams> {
  const services = new Map<string, StreamingService>();
  const server = await startStreamingRuntime((path) => {
    const service = services.get(path);
    services.delete(path);
    return service;
  });
  const serve = (kind: string, service: StreamingService) => {
    const path = `/${kind}/${Buffer.from(random.bytes(6)).toString("base64url")}`;
    services.set(path, service);
    return `${server.url}${path}`;
  };
  return {
    open: (kind, request, run) => {
      const { stdin, stdout, stderr, tty } = request;
      const wanted: [boolean, Streams[number]][] = [
        [stdin, "stdin"],
        [stdout, "stdout"],
        [stderr && !tty, "stderr"],
        [tty, "resize"],
      ];
      const streams = wanted.filter(([isWanted]) => isWanted).map(([, stream]) => stream);
      return serve(kind, { command: { streams, run: (all) => outcomeOf(run, all) } });
    },
    openPortForward: (answerOf) =>
      serve("portforward", {
        forward: (streams, port) => {
          const text = answerOf(port);
          if (text === undefined) refuseConnection(streams, port);
          else void answerConnection(streams, text);
        },
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

type CommandStreams = Parameters<NonNullable<StreamingService["command"]>["run"]>[0];

/** The Status that runtimes return for a command's end. */
async function outcomeOf(run: (io: CommandIo) => Promise<number>, streams: CommandStreams): Promise<unknown> {
  const { stdin } = streams;
  const io: CommandIo = {
    write: (stream, output) => void streams[stream]?.write(output),
    ...(stdin ? { input: readInput(stdin) } : {}),
  };
  try {
    const exitCode = await run(io);
    if (exitCode === 0) return { metadata: {}, status: "Success" };
    const causes = [{ reason: "ExitCode", message: String(exitCode) }];
    const message = `command terminated with non-zero exit code: exit code ${exitCode}`;
    return { metadata: {}, status: "Failure", reason: "NonZeroExitCode", message, details: { causes } };
  } catch (error) {
    const message = `Internal error occurred: error executing command in container: ${(error as Error).message}`;
    return { metadata: {}, status: "Failure", reason: "InternalError", code: 500, message };
  }
}

/** Simulated commands print their input, or inspect a word of it; the rest is discarded. */
const inputBytesMax = 1024 * 1024;

export function readInput(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let bytesLeft = inputBytesMax;
  stdin.on("data", (bytes: Buffer) => {
    const part = bytes.subarray(0, bytesLeft);
    bytesLeft -= part.byteLength;
    // The part is copied because it is a view of a larger buffer, which would be retained.
    if (part.byteLength > 0) parts.push(Buffer.from(part));
  });
  return new Promise((resolve) => stdin.once("end", () => resolve(Buffer.concat(parts).toString())));
}

/** Ports of a simulated pod are closed. */
const refuseConnection: (streams: ForwardedStreams, port: number) => void = ({ data, error }, port) => {
  error.end(`error forwarding port ${port} to pod: dial tcp4 127.0.0.1:${port}: connect: connection refused`);
  data.end();
};

const requestLine = /^[A-Z]+ \S+ HTTP\/1\.[01]\r?\n/;

/**
 * Returns the answer to the first bytes of a client: a response for HTTP, otherwise the text
 * itself.
 */
export function answerTo(asked: string, text: string): string {
  if (!requestLine.test(asked) || text.startsWith("HTTP/1.")) return text;
  const head = [
    "HTTP/1.1 200 OK",
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  return [...head, "", asked.startsWith("HEAD ") ? "" : text].join("\r\n");
}

/** Answers once: as soon as the client has sent something, or has ended its input. */
async function answerConnection({ data, error }: ForwardedStreams, text: string): Promise<void> {
  error.end();
  const asked = await new Promise<string>((resolve) => {
    data.once("data", (bytes: Buffer) => resolve(bytes.toString("latin1")));
    data.once("end", () => resolve(""));
    data.once("close", () => resolve(""));
  });
  // The rest of the request is ignored.
  data.resume();
  data.end(answerTo(asked, text));
}
