import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PlayerFiles } from "@kintsugi/story";

/** Reads the script and the style of the player. @throws Error of node:fs if it is not built. */
export function readPlayer(directory: string): PlayerFiles {
  const [script = "", style = ""] = ["player.js", "player.css"].map((name) =>
    readFileSync(join(directory, name), "utf8"),
  );
  return { script, style };
}

/** The digest of a script or a style in a Content-Security-Policy. */
export function policyDigest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
