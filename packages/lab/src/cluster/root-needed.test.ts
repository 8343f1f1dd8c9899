import { expect, test } from "vitest";
import { absentUnlessDenied, RootNeeded } from "./root-needed.ts";

const file = "/var/lib/kintsugi/clusters/nw.json";
const failed = (code: string) => Object.assign(new Error(code), { code });

test("a missing file counts as absent, and an unreadable file does not", () => {
  expect(absentUnlessDenied(file)(failed("ENOENT"))).toBeUndefined();
  expect(() => absentUnlessDenied(file)(failed("EACCES"))).toThrow(new RootNeeded(file, { cause: failed("EACCES") }));
  expect(new RootNeeded(file).message).toBe(`${file} cannot be read without root: run the command with sudo`);
});
