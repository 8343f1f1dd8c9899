import { isApiError, isPodActive, type Pod, pods } from "@kintsugi/api";
import type { RehearsalQuestion } from "@kintsugi/rehearsal";
import type { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";
import type { Asked } from "./asked.ts";
import { drainNodes } from "./drain-nodes.ts";
import { injectFaults } from "./inject-faults.ts";

/**
 * Applies the change of a question to the cluster; `noteNodes` is called after each change of
 * power.
 */
export function askQuestion(
  question: RehearsalQuestion,
  cluster: RehearsedCluster,
  { workloadOf, noteNodes }: { workloadOf: (pod: Pod) => string; noteNodes: () => void },
): Asked {
  const isOf = (workload: string) => (pod: Pod) => workloadOf(pod) === workload;
  switch (question.kind) {
    case "nodes-off": {
      for (const name of question.nodes) cluster.node(name).kill();
      endControlPlane(cluster);
      noteNodes();
      return { done: Promise.resolve(), drains: [] };
    }
    case "pods-deleted":
      return { done: deletePods(cluster, isOf(question.workload)), drains: [] };
    case "drains":
      return drainNodes(question, cluster, noteNodes);
    case "scenario":
      return injectFaults(question, cluster, {
        noteNodes,
        deletePods: (workload) => deletePods(cluster, isOf(workload)),
      });
  }
}

/**
 * Services whose pods were all on the lost machines are lost with these machines, and do not
 * return.
 */
function endControlPlane(cluster: RehearsedCluster): void {
  const processes = {
    "kube-apiserver": cluster.server.process,
    "kube-scheduler": cluster.scheduler,
    "kube-controller-manager": cluster.controllerManager,
  };
  for (const [component, process] of Object.entries(processes)) {
    const own = [...cluster.pods.all()].filter((pod) => isComponent(pod, component));
    if (own.length > 0 && own.every(({ spec }) => !cluster.serves(spec?.nodeName ?? ""))) process.kill();
  }
}

/** Installers run the control plane as static pods with this label. */
function isComponent({ metadata }: Pod, component: string): boolean {
  return metadata.namespace === "kube-system" && metadata.labels?.["component"] === component;
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
