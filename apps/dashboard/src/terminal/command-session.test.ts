import { expect, test } from "vitest";
import { type CommandSocket, joinCommand, type Screen } from "./command-session.ts";

function aSocket() {
  const sent: Uint8Array[] = [];
  const socket: CommandSocket & { readyState: number } = {
    binaryType: "blob",
    readyState: 0,
    send: (bytes) => sent.push(bytes),
    close: () => socket.onclose?.({} as CloseEvent),
    onopen: null,
    onmessage: null,
    onclose: null,
  };
  const receive = (channel: number, bytes: Uint8Array) =>
    socket.onmessage?.({ data: new Uint8Array([channel, ...bytes]).buffer } as MessageEvent);
  return { socket, sent, receive };
}

function aScreen() {
  const shown: Uint8Array[] = [];
  const waiting: (() => void)[] = [];
  const keys: { take?: (bytes: Uint8Array) => void; resized?: () => void } = {};
  const screen: Screen & { columns: number } = {
    columns: 80,
    rows: 24,
    write: (bytes, onShown) => {
      shown.push(bytes);
      waiting.push(onShown);
    },
    onInput: (take) => (keys.take = take),
    onResize: (take) => (keys.resized = take),
    focus() {},
    dispose() {},
  };
  return { screen, shown, waiting, keys };
}

const text = (pieces: readonly Uint8Array[]) => pieces.map((each) => new TextDecoder().decode(each)).join("");
const bytes = (from: string) => new TextEncoder().encode(from);

test("sends the size at the start and at each change, and keys once it is open", () => {
  const { socket, sent } = aSocket();
  const { screen, keys } = aScreen();
  joinCommand({ socket, screen }, () => {});
  keys.take?.(bytes("too early"));
  socket.readyState = 1;
  socket.onopen?.({} as Event);
  screen.columns = 100;
  keys.resized?.();
  keys.take?.(bytes("ls\r"));
  expect(sent.map((each) => text([each]))).toEqual([
    '\x04{"Width":80,"Height":24}',
    '\x04{"Width":100,"Height":24}',
    "\x00ls\r",
  ]);
});

test("shows output, and reports the outcome when the connection has closed", () => {
  const { socket, receive } = aSocket();
  const { screen, shown } = aScreen();
  const states: unknown[] = [];
  joinCommand({ socket, screen }, (state) => states.push(state));
  receive(1, new Uint8Array());
  receive(1, bytes("hello"));
  receive(3, bytes('{"status":"Success"}'));
  expect(states).toEqual(["open"]);
  socket.onclose?.({} as CloseEvent);
  expect(states).toEqual(["open", { ended: "The command ended." }]);
  expect(text(shown)).toBe("hello");
});

test("reports a connection that ends without an outcome as lost or refused", () => {
  for (const [isOpened, ended] of [
    [true, "The connection was lost."],
    [false, "The connection was refused, or nothing answers."],
  ] as const) {
    const { socket, receive } = aSocket();
    const states: unknown[] = [];
    joinCommand({ socket, screen: aScreen().screen }, (state) => states.push(state));
    if (isOpened) receive(1, new Uint8Array());
    socket.onclose?.({} as CloseEvent);
    expect(states.at(-1)).toEqual({ ended });
  }
});

test("omits output that is faster than the screen, and reports its size", () => {
  const { socket, receive } = aSocket();
  const { screen, shown, waiting } = aScreen();
  joinCommand({ socket, screen }, () => {});
  const mebibyte = new Uint8Array(1024 * 1024).fill(120);
  for (let piece = 0; piece < 5; piece++) receive(1, mebibyte);
  expect(shown.length).toBe(2);
  for (const onShown of waiting.splice(0)) onShown();
  receive(1, bytes("at last"));
  expect(text(shown.slice(2))).toBe("\x18\r\n[3145728 bytes came too fast to be shown]\r\nat last");
});

test("does not report anything after its view has closed it", () => {
  const { socket, receive } = aSocket();
  const states: unknown[] = [];
  const session = joinCommand({ socket, screen: aScreen().screen }, (state) => states.push(state));
  session.close();
  receive(1, bytes("late"));
  expect(states).toEqual([]);
});
