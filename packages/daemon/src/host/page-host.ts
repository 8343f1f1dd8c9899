import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

/**
 * Returns the parts of Node.js that pages with recordings need (`PageHost` in packages/story), with
 * the player in the directory.
 */
export function pageHost(playerDirectory: string) {
  return {
    readPlayer: (name: string): string => readFileSync(join(playerDirectory, name), "utf8"),
    sha256: (text: string): string => createHash("sha256").update(text).digest("base64"),
    deflate: (bytes: Uint8Array): Uint8Array => deflateSync(bytes, { level: 9 }),
  };
}
