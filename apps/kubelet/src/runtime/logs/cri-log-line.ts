/**
 * One line of a container's log as the runtime writes it: `<RFC 3339 with nanoseconds>
 * <stdout|stderr> <F|P> <text>\n`.
 */
export interface CriLogLine {
  timestamp: string;
  stream: "stdout" | "stderr";
  /** The text with its newline, unless it is only the first part of a longer line. */
  text: Buffer;
}

const space = 0x20;

/**
 * Undefined for a line that the runtime did not write completely, which is not shown. `line` is
 * without its newline.
 */
export function parseCriLogLine(line: Buffer): CriLogLine | undefined {
  const first = line.indexOf(space);
  const second = line.indexOf(space, first + 1);
  if (first <= 0 || second < 0) return undefined;
  const stream = line.toString("latin1", first + 1, second);
  if (stream !== "stdout" && stream !== "stderr") return undefined;
  const third = line.indexOf(space, second + 1);
  const tagEnd = third < 0 ? line.length : third;
  const tag = line.toString("latin1", second + 1, tagEnd).split(":")[0];
  if (tag !== "F" && tag !== "P") return undefined;
  const text = line.subarray(Math.min(line.length, tagEnd + 1));
  return {
    timestamp: line.toString("latin1", 0, first),
    stream,
    text: tag === "F" ? Buffer.concat([text, Buffer.from("\n")]) : text,
  };
}
