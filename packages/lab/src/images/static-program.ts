import { closeSync, openSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";

/**
 * Offsets in a 64-bit little-endian ELF file (elf(5)); a program with an "interpreter" is linked
 * dynamically.
 */
const elf = { magic: "\x7fELF", class64: 2, tableAt: 32, entryBytesAt: 54, entriesAt: 56, interpreter: 3 };
/** Linkers place the table of program headers directly after the file's header. */
const headerBytes = 4096;

/**
 * Reports whether a program runs without shared libraries, and therefore in an image without other
 * files.
 */
export function isStaticProgram(path: string): boolean {
  const header = readHeader(path);
  if (!header || header.toString("latin1", 0, 4) !== elf.magic || header[4] !== elf.class64) return false;
  const tableAt = Number(header.readBigUInt64LE(elf.tableAt));
  const entryBytes = header.readUInt16LE(elf.entryBytesAt);
  for (let entry = 0; entry < header.readUInt16LE(elf.entriesAt); entry++) {
    const at = tableAt + entry * entryBytes;
    if (at + 4 > header.length || header.readUInt32LE(at) === elf.interpreter) return false;
  }
  return true;
}

/** @throws Error naming the package, if the program is missing or needs libraries. */
export async function readStaticProgram(path: string, debianPackage: string): Promise<Buffer> {
  if (!isStaticProgram(path)) {
    throw new Error(`${path} is not a statically linked 64-bit program; install the package ${debianPackage}`);
  }
  return await readFile(path);
}

function readHeader(path: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    const buffer = Buffer.alloc(headerBytes);
    const bytes = readSync(file, buffer, 0, headerBytes, 0);
    return bytes >= 64 ? buffer.subarray(0, bytes) : undefined;
  } finally {
    closeSync(file);
  }
}
