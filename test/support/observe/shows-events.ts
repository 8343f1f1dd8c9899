import type { LabCluster } from "../lab-cluster.ts";
import { eventually } from "../run-program.ts";

/**
 * Waits until the text that `show` returns has all `lines`, which are events of controllers or of
 * the scheduler, and are written a moment after their cause. A process that loses its lead cancels
 * the writes in flight, including events, as upstream's processes do. If a lead was lost in the run
 * of the cluster, a line may be missing.
 * @throws with the missing lines and the last text.
 */
export async function showsEvents(
  cluster: LabCluster,
  show: () => Promise<string>,
  lines: readonly RegExp[],
): Promise<void> {
  await eventually("its events", async () => {
    const shown = await show();
    const missing = lines.filter((line) => !line.test(shown));
    if (missing.length > 0 && (await cluster.leadsLost()) === 0)
      throw new Error(`${missing.join(" and ")} not in\n${shown}`);
    return true;
  });
}
