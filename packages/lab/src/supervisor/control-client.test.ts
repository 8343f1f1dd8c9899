import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createControlClient } from "./control-client.ts";

/** Runs `work` with a socket whose server does `answer` to each connection. */
async function withServer(answer: (socket: Socket) => void, work: (path: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "control-"));
  const path = join(directory, "s.sock");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  }).listen(path);
  await once(server, "listening");
  try {
    await work(path);
  } finally {
    server.close();
    await rm(directory, { recursive: true });
  }
}

test("a supervisor that ends before it has answered counts as absent", async () => {
  await withServer(
    (socket) => void socket.destroy(),
    async (path) => {
      expect(await createControlClient(path).status()).toBeUndefined();
      // The client cannot know whether the action was performed.
      await expect(createControlClient(path).act("node-1", "kill")).rejects.toThrow(/socket hang up|ECONNRESET/);
    },
  );
});

test("a connection to a supervisor is never reused because the next supervisor may be another process", async () => {
  let connections = 0;
  await withServer(
    (socket) => {
      connections++;
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}");
    },
    async (path) => {
      const control = createControlClient(path);
      expect(await control.status()).toEqual({});
      expect(await control.status()).toEqual({});
    },
  );
  expect(connections).toBe(2);
});

test("if nothing listens there is no supervisor", async () => {
  expect(await createControlClient("/nonexistent/s.sock").status()).toBeUndefined();
});
