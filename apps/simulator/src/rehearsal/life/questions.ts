import { isApiError, isPodActive, type Pod, pods } from "@kintsugi/api";
import type { RehearsalQuestion } from "@kintsugi/rehearsal";
import type { Asked } from "./asked.ts";
import { drainNodes } from "./drain-nodes.ts";
import type { RehearsedCluster } from "./rehearsed-cluster.ts";

/**
 * Does to the cluster what a question is about; `noteNodes` is called after each change of power.
 */
export function askQuestion(
  question: RehearsalQuestion,
  cluster: RehearsedCluster,
  { workloadOf, noteNodes }: { workloadOf: (pod: Pod) => string; noteNodes: () => void },
): Asked {
  switch (question.kind) {
    case "nodes-off": {
      for (const name of question.nodes) cluster.node(name).kill();
      noteNodes();
      return { done: Promise.resolve(), drains: [] };
    }
    case "pods-deleted":
      return { done: deletePods(cluster, (pod) => workloadOf(pod) === question.workload), drains: [] };
    case "drains":
      return drainNodes(question, cluster, noteNodes);
  }
}

async function deletePods({ client, pods: live }: RehearsedCluster, isMeant: (pod: Pod) => boolean): Promise<void> {
  const meant = [...live.all()].filter((pod) => isPodActive(pod) && isMeant(pod));
  await Promise.all(
    meant.map(async ({ metadata: { namespace = "", name = "" } }) => {
      try {
        await client.delete(pods, { namespace, name });
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
      }
    }),
  );
}
