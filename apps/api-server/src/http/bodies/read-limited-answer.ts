import type { IncomingMessage } from "node:http";

/**
 * Reads the whole answer of another server as UTF-8.
 * @throws Error when it has more than `bytesMax` bytes; the caller ends the connection.
 */
export async function readLimitedAnswer(response: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new Error(`the answer has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
