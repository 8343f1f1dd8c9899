// A tar archive in the ustar format (POSIX.1-1988). Each entry has a header block of 512 bytes, and
// then its content, padded to a multiple of 512. Archives are deterministic, because entries have
// no time, and root is their owner.

export type TarEntry =
  | { type: "file"; path: string; mode: number; content: Uint8Array }
  | { type: "directory"; path: string; mode: number }
  | { type: "link"; path: string; target: string };

const blockSize = 512;
const typeFlag = { file: "0", link: "2", directory: "5" } as const;

/** @throws RangeError when a path does not fit into the format (100 bytes). */
export function tar(entries: readonly TarEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const entry of entries) {
    const content = entry.type === "file" ? Buffer.from(entry.content) : Buffer.alloc(0);
    parts.push(header(entry, content.length), content, padding(content.length));
  }
  parts.push(Buffer.alloc(2 * blockSize));
  return Buffer.concat(parts);
}

function header(entry: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(blockSize);
  const path = entry.type === "directory" ? `${entry.path}/` : entry.path;
  writeText(block, { offset: 0, length: 100 }, path);
  writeText(block, { offset: 100, length: 8 }, octal(entry.type === "link" ? 0o777 : entry.mode, 7));
  writeText(block, { offset: 108, length: 8 }, octal(0, 7));
  writeText(block, { offset: 116, length: 8 }, octal(0, 7));
  writeText(block, { offset: 124, length: 12 }, octal(size, 11));
  writeText(block, { offset: 136, length: 12 }, octal(0, 11));
  writeText(block, { offset: 148, length: 8 }, " ".repeat(8));
  writeText(block, { offset: 156, length: 1 }, typeFlag[entry.type]);
  if (entry.type === "link") writeText(block, { offset: 157, length: 100 }, entry.target);
  writeText(block, { offset: 257, length: 8 }, "ustar\u000000");
  const sum = block.reduce((total, byte) => total + byte, 0);
  writeText(block, { offset: 148, length: 8 }, `${octal(sum, 6)}\0 `);
  return block;
}

function writeText(block: Buffer, field: { offset: number; length: number }, text: string): void {
  if (Buffer.byteLength(text) > field.length)
    throw new RangeError(`"${text}" exceeds the ${field.length} bytes of its tar header field`);
  block.write(text, field.offset);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function padding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}
