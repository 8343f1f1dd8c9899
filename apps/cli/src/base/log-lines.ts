import { open } from "node:fs/promises";

/** Maximum length of a log line, enough for its error and stack. */
const tailBytes = 16 * 1024;
/** A terminal shows a few lines of an error message, not a page. */
const textMax = 400;

/** Returns the last line of a log as a sentence; undefined for a log that is empty or absent. */
export async function lastLogLine(file: string): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, tailBytes);
    const { buffer } = await handle.read({ buffer: Buffer.alloc(length), position: size - length });
    return lastLineOf(buffer.toString("utf8"));
  } finally {
    await handle.close();
  }
}

/**
 * Returns the last line of a log's text. Of a line in JSON, it returns the phrase and the message
 * of the error.
 */
export function lastLineOf(text: string): string | undefined {
  const line = text
    .split("\n")
    .map((each) => each.trim())
    .findLast((each) => each !== "");
  return line === undefined ? undefined : cut(sentenceOf(line));
}

function sentenceOf(line: string): string {
  try {
    const { msg, error } = JSON.parse(line) as { msg?: unknown; error?: { message?: unknown } };
    if (typeof msg !== "string") return line;
    return typeof error?.message === "string" ? `${msg}: ${error.message}` : msg;
  } catch {
    return line;
  }
}

function cut(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax - 1)}…`;
}
