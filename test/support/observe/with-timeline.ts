import type { LabCluster } from "../lab-cluster.ts";

/** The lines of a timeline that a failure shows: the last fault and everything after it. */
const linesMax = 120;

/** Runs a test's work; its error message then ends with the cluster's timeline. */
export async function withTimeline(cluster: LabCluster, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const { stdout, stderr } = await cluster.kintsugi("timeline");
    const lines = `${stdout}${stderr}`.trimEnd().split("\n").slice(-linesMax);
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${message}\n\nThe end of the timeline:\n${lines.join("\n")}`, { cause });
  }
}
