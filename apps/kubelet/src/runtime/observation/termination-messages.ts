import type { Files } from "../../machine/files/files.ts";
import { annotationNames } from "../../model/labels.ts";
import type { ObservedContainer, ObservedPod } from "../../model/observed-pod.ts";

/**
 * Upstream's limits: a container's termination message, and the part of its log that replaces it.
 */
const messageBytesMax = 4096;
/**
 * Limit for all containers of a pod together; with many containers the share of each is smaller
 * (status_manager.go normalizeStatus).
 */
const podMessagesBytesMax = 12 * 1024;
const logTailBytesMax = 2048;
const logTailLinesMax = 80;

/**
 * Returns the same pod, with the termination messages of its dead containers
 * (`terminationMessagePath`).
 */
export function withTerminationMessages(observed: ObservedPod, files: Files, containerCount: number): ObservedPod {
  const bytesMax = Math.min(messageBytesMax, Math.floor(podMessagesBytesMax / Math.max(1, containerCount)));
  const containers = observed.containers.map((container) =>
    container.state === "exited" ? { ...container, message: cut(lastWords(container, files), bytesMax) } : container,
  );
  return { ...observed, containers };
}

function cut(message: string, bytesMax: number): string {
  return Buffer.byteLength(message) <= bytesMax ? message : Buffer.from(message).subarray(0, bytesMax).toString("utf8");
}

function lastWords(container: ObservedContainer, files: Files): string {
  const file = container.annotations[annotationNames.terminationMessageFile];
  const written = file === undefined ? undefined : files.readTail(file, messageBytesMax);
  if (written && written.byteLength > 0) return Buffer.from(written).toString("utf8");
  const policy = container.annotations[annotationNames.terminationMessagePolicy];
  if (policy === "FallbackToLogsOnError" && container.exitCode !== 0 && container.logPath !== "") {
    const tail = files.readTail(container.logPath, logTailBytesMax);
    if (tail && tail.byteLength > 0) return lastLogLines(Buffer.from(tail).toString("utf8"));
  }
  return container.message;
}

/**
 * The text of the last lines of a log in CRI format: `<time> stdout F <text>`. A first line that
 * was cut is dropped.
 */
function lastLogLines(tail: string): string {
  const lines = tail.split("\n").filter((line) => /^\S+ (stdout|stderr) [FP] /.test(line));
  const texts = lines.slice(-logTailLinesMax).map((line) => {
    const [, , tag, ...text] = line.split(" ");
    return text.join(" ") + (tag === "F" ? "\n" : "");
  });
  return texts.join("");
}
