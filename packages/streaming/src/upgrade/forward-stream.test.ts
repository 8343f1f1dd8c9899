import { createServer, type IncomingMessage, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { SpdySession } from "../spdy/spdy-session.ts";
import { startStreamingRuntime, type StreamingRuntime, type StreamingService } from "../simulated/streaming-runtime.ts";
import { dialUpgrade } from "./dial-upgrade.ts";
import { forwardStream } from "./forward-stream.ts";
import type { RemoteCommandOptions } from "../websocket/remote-command.ts";

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
const stops: (() => Promise<void>)[] = [];

/** A client's server that forwards every upgrade to a runtime. */
async function start(service: StreamingService, command?: Partial<RemoteCommandOptions>) {
  const runtime: StreamingRuntime = await startStreamingRuntime(() => service);
  const server = createServer();
  const sockets = new Set<Duplex>();
  const ends: string[] = [];
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket);
    const gone = new AbortController();
    socket.once("close", () => gone.abort());
    void forwardStream(
      { request, socket, head },
      {
        url: `${runtime.url}/token`,
        signal: gone.signal,
        onRuntimeEnd: () => ends.push("runtime"),
        ...(command ? { command: { stdin: false, stdout: false, stderr: false, tty: false, ...command } } : {}),
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    await runtime[Symbol.asyncDispose]();
    await new Promise((resolve) => server.close(resolve));
  });
  return { runtime, ends, port: (server.address() as AddressInfo).port };
}

/** Returns the messages that a WebSocket client received, by channel, when it has ended. */
function collect(webSocket: WebSocket): Promise<Record<number, string>> {
  const seen: Record<number, string> = {};
  webSocket.on("message", (data: Buffer) => {
    const channel = data[0] ?? -1;
    seen[channel] = (seen[channel] ?? "") + data.subarray(1).toString();
  });
  return new Promise((resolve, reject) => {
    webSocket.once("close", () => resolve(seen));
    webSocket.once("error", reject);
  });
}

const v5 = (port: number) => new WebSocket(`ws://127.0.0.1:${port}/`, "v5.channel.k8s.io");
const success = { metadata: {}, status: "Success" };

test("a command's output and outcome reach a v5 WebSocket, each in its channel", async () => {
  const outcome = { status: "Failure", reason: "NonZeroExitCode", message: "3" };
  const { port } = await start(
    {
      command: {
        streams: ["stdout", "stderr"],
        run: async ({ stdout, stderr }) => {
          stdout?.write("out");
          stderr?.write("err");
          return outcome;
        },
      },
    },
    { stdout: true, stderr: true },
  );
  expect(await collect(v5(port))).toEqual({ 1: "out", 2: "err", 3: JSON.stringify(outcome) });
});

test("the end of a command is distinguished from the end of its client", async () => {
  const ofCommand = await start(
    { command: { streams: ["stdout"], run: () => Promise.resolve(success) } },
    { stdout: true },
  );
  await collect(v5(ofCommand.port));
  expect(ofCommand.ends).toContain("runtime");

  let isLeft = () => {};
  const left = new Promise<void>((resolve) => (isLeft = resolve));
  const ofClient = await start(
    {
      command: {
        streams: ["stdin", "stdout"],
        run: async ({ stdin }) => {
          await new Promise((resolve) => stdin?.once("close", resolve).on("error", () => {}));
          isLeft();
          return success;
        },
      },
    },
    { stdin: true, stdout: true },
  );
  const webSocket = v5(ofClient.port);
  webSocket.once("message", () => webSocket.terminate());
  await left;
  expect(ofClient.ends).toEqual([]);
});

test("a v5 client receives no output before it has answered a ping, because it may not have created its channels earlier", async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const { port } = await start(
    {
      command: {
        streams: ["stdout"],
        run: async ({ stdout }) => {
          stdout?.write("out");
          end();
          return success;
        },
      },
    },
    { stdout: true },
  );
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/`, "v5.channel.k8s.io", { autoPong: false });
  const early: number[] = [];
  webSocket.on("message", (data: Buffer) => early.push(data.byteLength));
  const whole = collect(webSocket);
  await new Promise((resolve) => webSocket.once("message", resolve));
  // The empty message that shows that a command has begun; the command itself has ended in the
  // meantime.
  await ended;
  for (let round = 0; round < 3; round++) {
    webSocket.ping();
    await new Promise((resolve) => webSocket.once("pong", resolve));
  }
  expect(early).toEqual([1]);
  webSocket.on("ping", () => webSocket.pong());
  webSocket.pong();
  expect(await whole).toEqual({ 1: "out", 3: JSON.stringify(success) });
});

test("the end of a v5 WebSocket's stdin reaches the command, whose output still arrives", async () => {
  const { port } = await start(
    {
      command: {
        streams: ["stdin", "stdout"],
        run: async ({ stdin, stdout }) => {
          stdin?.on("data", (bytes: Buffer) => stdout?.write(bytes.toString().toUpperCase()));
          await new Promise((resolve) => stdin?.once("end", resolve));
          return success;
        },
      },
    },
    { stdin: true, stdout: true },
  );
  const webSocket = v5(port);
  const seen = collect(webSocket);
  webSocket.once("open", () => {
    webSocket.send(Buffer.from("\0hello"));
    webSocket.send(Buffer.from([255, 0]));
  });
  expect(await seen).toEqual({ 1: "HELLO", 3: JSON.stringify(success) });
});

test("a terminal's sizes reach the command", async () => {
  const size = '{"Width":80,"Height":24}';
  const { port } = await start(
    {
      command: {
        streams: ["stdin", "stdout", "resize"],
        run: async ({ stdout, resize }) => {
          stdout?.write(await new Promise((resolve) => resize?.once("data", resolve)));
          return success;
        },
      },
    },
    { stdin: true, stdout: true, stderr: true, tty: true },
  );
  const webSocket = v5(port);
  const seen = collect(webSocket);
  webSocket.once("open", () => webSocket.send(Buffer.from(`\x04${size}`)));
  expect(await seen).toEqual({ 1: size, 3: JSON.stringify(success) });
});

test("when a v5 client disappears, no stream stays open at the runtime", async () => {
  const { port, runtime } = await start(
    { command: { streams: ["stdout"], run: () => new Promise(() => {}) } },
    { stdout: true },
  );
  const webSocket = v5(port);
  await new Promise((resolve) => webSocket.once("message", resolve));
  expect(runtime.connections.size).toBe(1);
  webSocket.terminate();
  await expect.poll(() => runtime.connections.size).toBe(0);
});

test("when the runtime exits during the stream, a v5 client is notified", async () => {
  const { port, runtime } = await start(
    { command: { streams: ["stdout"], run: () => new Promise(() => {}) } },
    { stdout: true },
  );
  const webSocket = v5(port);
  const seen = collect(webSocket);
  await new Promise((resolve) => webSocket.once("message", resolve));
  for (const socket of runtime.connections) socket.destroy();
  expect(JSON.parse((await seen)[3] ?? "")).toMatchObject({ status: "Failure", reason: "InternalError", code: 500 });
});

test("SPDY passes through unchanged", async () => {
  const { port } = await start({ forward: ({ data }) => data.pipe(data) }, undefined);
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": ["portforward.k8s.io"] };
  const answer = await dialUpgrade(httpRequest({ host: "127.0.0.1", port, method: "POST", headers, agent: false }), {
    signal: new AbortController().signal,
  });
  if (!answer.upgraded) throw new Error("not upgraded");
  expect(answer.headers).toMatchObject({ upgrade: "SPDY/3.1", "x-stream-protocol-version": "portforward.k8s.io" });
  await expectEcho(new SpdySession(answer.socket, { side: "client", head: answer.head }));
  answer.socket.destroy();
});

test("SPDY in the messages of a WebSocket is unwrapped", async () => {
  const { port } = await start({ forward: ({ data }) => data.pipe(data) }, undefined);
  // `ws` would not offer a name with a slash either.
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/`, {
    headers: { "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io" },
  });
  const upgraded = new Promise<IncomingMessage>((resolve) => webSocket.once("upgrade", resolve));
  webSocket.on("error", () => {});
  expect((await upgraded).headers["sec-websocket-protocol"]).toBe("SPDY/3.1+portforward.k8s.io");
});

test("the runtime's refusal is returned to the client", async () => {
  const { port } = await start({ refusal: { status: 404, text: "unknown token" } }, { stdout: true });
  const webSocket = v5(port);
  const refused = await new Promise<IncomingMessage>((resolve) =>
    webSocket.once("unexpected-response", (_request, response) => resolve(response)),
  );
  expect(refused.statusCode).toBe(404);
  webSocket.on("error", () => {});
  webSocket.terminate();
});

async function expectEcho(session: SpdySession): Promise<void> {
  void session.run();
  const headers = { port: ["80"], requestid: ["0"] };
  await session.openStream({ streamtype: ["error"], ...headers });
  const stream = await session.openStream({ streamtype: ["data"], ...headers });
  stream.end("ping");
  let echoed = "";
  stream.on("data", (bytes: Buffer) => (echoed += bytes.toString()));
  await new Promise((resolve) => stream.once("end", resolve));
  expect(echoed).toBe("ping");
}
