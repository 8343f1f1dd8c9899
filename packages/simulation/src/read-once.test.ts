import { expect, test } from "vitest";
import { ReadOnce } from "./read-once.ts";

const bytesOf = (text: string) => Buffer.from(text);

test("the same bytes of one revision are one object, whichever process holds them", () => {
  const objects = new ReadOnce();
  const first = objects.read(bytesOf(`{"a":1}`), 7);
  expect(objects.read(bytesOf(`{"a":1}`), 7)).toBe(first);
  expect(objects.read(bytesOf(`{"a":1}`), 8)).not.toBe(first);
});

test("a revision with other contents in another history is parsed again", () => {
  const objects = new ReadOnce();
  objects.read(bytesOf(`{"a":1}`), 7);
  expect(objects.read(bytesOf(`{"a":2}`), 7)).toEqual({ a: 2 });
});

test("old entries are dropped", () => {
  const objects = new ReadOnce();
  const first = objects.read(bytesOf(`{"a":1}`), 7);
  objects.read(bytesOf(`{"a":1}`), 7 + 128);
  expect(objects.read(bytesOf(`{"a":1}`), 7)).toEqual(first);
  expect(objects.read(bytesOf(`{"a":1}`), 7)).not.toBe(first);
});

test("with freezing, no reader can change a shared object at any depth", () => {
  const object = new ReadOnce({ frozen: true }).read<{ a: { b: number[] } }>(bytesOf(`{"a":{"b":[1]}}`), 7);
  expect(() => object.a.b.push(2)).toThrow(TypeError);
});
