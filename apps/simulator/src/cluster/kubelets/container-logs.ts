import type { KubeletDialer } from "@kintsugi/api-server/factory";
import { logPathOf, type VirtualNode } from "../virtual-node.ts";

type Answer = Awaited<ReturnType<KubeletDialer["get"]>>;

/** A kubelet's response to /containerLogs/NAMESPACE/POD/CONTAINER. */
export async function answerLogs(node: VirtualNode, path: string): Promise<Answer> {
  const url = new URL(path, "http://kubelet");
  const [, , namespace = "", name = "", container = ""] = url.pathname.split("/").map(decodeURIComponent);
  const runs = (await node.runtime.listContainers({}))
    .filter(
      ({ labels, metadata }) =>
        labels["io.kubernetes.pod.namespace"] === namespace &&
        labels["io.kubernetes.pod.name"] === name &&
        metadata.name === container,
    )
    .toSorted((left, right) => right.metadata.attempt - left.metadata.attempt);
  const isPrevious = url.searchParams.get("previous") === "true";
  const run = isPrevious ? runs[1] : runs[0];
  if (run === undefined) {
    const which = isPrevious ? "previous terminated container" : "container";
    return text(404, `${which} "${container}" in pod "${name}" not found`);
  }
  const pod = { namespace, name, uid: run.labels["io.kubernetes.pod.uid"] ?? "" };
  const written = node.logs.read(logPathOf(pod, { container, attempt: run.metadata.attempt }));
  const lines = logLines(written);
  const tail = url.searchParams.get("tailLines");
  const shown = tail === null ? lines : Number(tail) === 0 ? [] : lines.slice(-Number(tail));
  return text(200, shown.map((line) => `${line}\n`).join(""));
}

/** The lines of a log in CRI's format, without times and streams. */
function logLines(written: string): string[] {
  return written
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^\S+ std(out|err) [FP] /, ""));
}

function text(status: number, body: string): Answer {
  return {
    status,
    contentType: "text/plain",
    body: [Buffer.from(body)] as unknown as AsyncIterable<Uint8Array>,
  };
}
