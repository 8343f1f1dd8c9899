import type { Raster } from "./raster.ts";

export interface PngDeps {
  /** Compresses as zlib (RFC 1950) does. */
  readonly deflate: (bytes: Uint8Array) => Uint8Array;
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Writes a raster as a PNG file: eight bits for each of red, green and blue. */
export function pngOf({ width, height, pixels }: Raster, { deflate }: PngDeps): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // Eight bits, true color; the standard method of compression, of filters, and no interlacing.
  header.set([8, 2, 0, 0, 0], 8);
  const rowLength = width * 3;
  const rows = new Uint8Array((rowLength + 1) * height);
  // The first byte of a row names its filter: 0 for no filter.
  for (let row = 0; row < height; row++)
    rows.set(pixels.subarray(row * rowLength, (row + 1) * rowLength), row * (rowLength + 1) + 1);
  return joined([
    Uint8Array.from(signature),
    chunk("IHDR", header),
    chunk("IDAT", deflate(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const named = joined([new TextEncoder().encode(type), data]);
  const [length, check] = [data.length, crc32(named)].map((value) => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value);
    return bytes;
  }) as [Uint8Array, Uint8Array];
  return joined([length, named, check]);
}

/** The checksum of a chunk: CRC-32 as in RFC 1952. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
