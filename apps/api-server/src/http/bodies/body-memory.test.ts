import { describe, expect, test } from "vitest";
import { BodyMemory } from "./body-memory.ts";

const mebibyte = 1024 * 1024;

describe("bodies that are read concurrently", () => {
  test("of one user may use a quarter of the memory, and release it when they are answered", () => {
    const memory = new BodyMemory();
    const rooms = Array.from({ length: 16 }, () => memory.room("eve"));
    for (const room of rooms) room.take(2 * mebibyte);
    expect(() => memory.room("eve").take(mebibyte)).toThrow("Too many bytes of requests");
    memory.room("bob").take(2 * mebibyte);
    rooms[0]?.leave();
    expect(() => memory.room("eve").take(mebibyte)).not.toThrow();
  });

  test("of all users together are limited, but small bodies are always accepted", () => {
    const memory = new BodyMemory();
    for (let i = 0; i < 128; i++) memory.room(`user-${Math.floor(i / 16)}`).take(mebibyte);
    expect(() => memory.room("node").take(mebibyte)).toThrow("Too many bytes of requests");
    expect(() => memory.room("node").take(64 * 1024)).not.toThrow();
  });

  test("without a length count as large once a chunk makes them large", () => {
    const memory = new BodyMemory();
    const room = memory.room("eve");
    for (let i = 0; i < 32 * 64; i++) room.take(16 * 1024);
    expect(() => room.take(16 * 1024)).toThrow("Too many bytes of requests");
    room.leave();
    for (let i = 0; i < 16; i++) memory.room("eve").take(2 * mebibyte);
  });
});
