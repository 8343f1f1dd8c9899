/** A watch frame holds one object; objects are at most 3 MiB, so a longer line is not a watch. */
const frameBytesMax = 8 * 1024 * 1024;

const newline = 0x0a;

/**
 * Splits a byte stream into its lines, parsed as JSON. It keeps at most one unfinished line, and
 * reads further only on demand.
 * @throws SyntaxError when a line is not JSON, or the stream ends inside a line.
 */
export async function* readJsonFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void> {
  let pieces: Uint8Array[] = [];
  let pieceBytes = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(newline, start); end >= 0; end = chunk.indexOf(newline, start)) {
      pieces.push(chunk.subarray(start, end));
      const line = textOf(pieces);
      pieces = [];
      pieceBytes = 0;
      start = end + 1;
      if (line !== "") yield JSON.parse(line) as unknown;
    }
    if (start === chunk.length) continue;
    pieces.push(chunk.subarray(start));
    pieceBytes += chunk.length - start;
    if (pieceBytes > frameBytesMax) throw new SyntaxError(`a frame is longer than ${frameBytesMax} bytes`);
  }
  if (pieces.length > 0 && textOf(pieces).trim() !== "") throw new SyntaxError("the stream ended inside a frame");
}

function textOf(pieces: readonly Uint8Array[]): string {
  const [only] = pieces;
  const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
