import { systemClock } from "@kintsugi/clock";
import { formatDuration } from "@kintsugi/api";
import { openLiveCluster } from "../sources/cluster-reader.ts";
import { kubeconfigOf } from "../sources/read-source.ts";
import { recordCluster } from "./record-cluster.ts";

export interface RecordOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly forMs: number;
}

/** Records a cluster to standard output until the time is over, or the user ends it. */
export async function recordCommand(
  { kubeconfig, context, forMs }: RecordOptions,
  say: (line: string) => void,
): Promise<void> {
  const reader = openLiveCluster(kubeconfigOf(kubeconfig), context);
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  // If the reader of a pipe exits first, the record ends.
  process.stdout.once("error", end);
  // The lists of a busy cluster take longer than a short record, so its time begins after them.
  let timer: ReturnType<typeof systemClock.after> | undefined;
  const beganMs = systemClock.monotonicMs();
  say(`recording ${reader.name} for ${formatDuration(forMs)}; Ctrl-C ends the record early`);
  try {
    const write = (text: string) => {
      timer ??= systemClock.after(forMs, end);
      process.stdout.write(text);
    };
    const changes = await recordCluster({ reader, clock: systemClock, write, say }, { signal: stop.signal });
    const tookMs = Math.round((systemClock.monotonicMs() - beganMs) / 1000) * 1000;
    say(`recorded ${changes} changes in ${formatDuration(tookMs)}`);
  } finally {
    timer?.cancel();
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
    await reader.close();
  }
}
