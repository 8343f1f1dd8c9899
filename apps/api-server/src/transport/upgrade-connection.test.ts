import type { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { systemClock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import type { ApiResponse } from "../http/api-request.ts";
import { upgradeConnection } from "./upgrade-connection.ts";
import { stallTimeoutMs } from "./connections/write-body.ts";

/** A connection whose client reads only when the test does. */
class SlowConnection extends Duplex {
  #take: (() => void) | undefined;

  override _write(_piece: Buffer, _encoding: BufferEncoding, take: () => void): void {
    this.#take = take;
  }

  override _read(): void {}

  takePiece(): void {
    const take = this.#take;
    this.#take = undefined;
    take?.();
  }
}

const turn = () => systemClock.nextTurn();

function answer(body: ApiResponse["body"]) {
  const socket = new SlowConnection();
  const clock = new VirtualClock();
  const request = { method: "GET", url: "/api/v1/pods", headers: { upgrade: "websocket" }, rawHeaders: [] };
  const over = upgradeConnection(
    { clock, handle: () => Promise.resolve({ status: 200, headers: {}, body }) },
    {
      request: request as unknown as IncomingMessage,
      socket: socket as unknown as TLSSocket,
      head: Buffer.alloc(0),
      identity: undefined,
    },
  );
  return { socket, clock, over };
}

test("a response to an upgrade request waits for its reader and is aborted after a minute", async () => {
  let given = 0;
  async function* watch(): AsyncGenerator<Uint8Array> {
    for (;;) {
      given++;
      yield Buffer.alloc(64 * 1024);
    }
  }
  const { socket, clock, over } = answer(watch());
  for (let i = 0; i < 50; i++) await turn();
  expect(given).toBe(1);
  expect(socket.writableLength).toBeLessThan(2 * 64 * 1024);
  socket.takePiece();
  socket.takePiece();
  for (let i = 0; i < 50; i++) await turn();
  expect(given).toBe(2);
  await clock.advance(stallTimeoutMs);
  await over;
  expect(socket.destroyed).toBe(true);
});

test("a client that keeps its connection open after its last response is disconnected", async () => {
  const { socket, clock, over } = answer(Buffer.from("{}"));
  for (let i = 0; i < 5; i++) {
    await turn();
    socket.takePiece();
  }
  await over;
  expect(socket.destroyed).toBe(false);
  await clock.advance(2_000);
  expect(socket.destroyed).toBe(true);
});
