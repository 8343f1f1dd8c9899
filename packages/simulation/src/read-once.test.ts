import { expect, test } from "vitest";
import { ReadOnce } from "./read-once.ts";

const bytesOf = (text: string) => Buffer.from(text);

test("the same bytes of one revision are one object, whoever holds them", () => {
  const objects = new ReadOnce();
  const first = objects.read(bytesOf(`{"a":1}`), 7);
  expect(objects.read(bytesOf(`{"a":1}`), 7)).toBe(first);
  expect(objects.read(bytesOf(`{"a":1}`), 8)).not.toBe(first);
});

test("a revision that says something else in another history is read again", () => {
  const objects = new ReadOnce();
  objects.read(bytesOf(`{"a":1}`), 7);
  expect(objects.read(bytesOf(`{"a":2}`), 7)).toEqual({ a: 2 });
});

test("what is long past is forgotten", () => {
  const objects = new ReadOnce();
  const first = objects.read(bytesOf(`{"a":1}`), 7);
  objects.read(bytesOf(`{"a":1}`), 7 + 128);
  expect(objects.read(bytesOf(`{"a":1}`), 7)).toEqual(first);
  expect(objects.read(bytesOf(`{"a":1}`), 7)).not.toBe(first);
});

test("where it is frozen, nobody changes what others read, however deep", () => {
  const object = new ReadOnce({ frozen: true }).read<{ a: { b: number[] } }>(bytesOf(`{"a":{"b":[1]}}`), 7);
  expect(() => object.a.b.push(2)).toThrow(TypeError);
});
