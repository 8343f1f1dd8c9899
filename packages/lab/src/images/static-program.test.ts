import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isStaticProgram, readStaticProgram } from "./static-program.ts";

const interpreter = 3;
const loadable = 1;

/** The beginning of a 64-bit ELF file with these program headers. */
function elfFile(programHeaders: readonly number[]): Buffer {
  const file = Buffer.alloc(64 + programHeaders.length * 56);
  file.write("\x7fELF", "latin1");
  file[4] = 2;
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(programHeaders.length, 56);
  programHeaders.forEach((type, index) => file.writeUInt32LE(type, 64 + index * 56));
  return file;
}

test.each<[string, Buffer | undefined, boolean]>([
  ["that loads itself", elfFile([loadable, loadable]), true],
  ["that requests a dynamic linker", elfFile([loadable, interpreter]), false],
  ["that is cut off", elfFile([loadable, loadable]).subarray(0, 100), false],
  ["of 32 bits", Buffer.from(elfFile([loadable])).fill(1, 4, 5), false],
  ["that is a script", Buffer.from(`#!/bin/sh\n${" ".repeat(100)}`), false],
  ["that is empty", Buffer.alloc(0), false],
  ["that does not exist", undefined, false],
])("a program %s", async (_, content, isStatic) => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-elf-"));
  try {
    const path = join(directory, "program");
    if (content) writeFileSync(path, content);
    expect(isStaticProgram(path)).toBe(isStatic);
    const reading = await Promise.allSettled([readStaticProgram(path, "its-package")]);
    expect(reading).toEqual([
      isStatic
        ? { status: "fulfilled", value: content }
        : {
            status: "rejected",
            reason: new Error(`${path} is not a statically linked 64-bit program; install the package its-package`),
          },
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
