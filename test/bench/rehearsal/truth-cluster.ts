import { type ApiObject, deployments, namespaces, podDisruptionBudgets, statefulSets } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

export const truthNamespace = "truth";
/** So short that a loss fits into a minute and a half; Kubernetes' default is 300. */
const tolerationSeconds = 5;
const lost = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Makes the workloads whose downtime is predicted and measured. */
export async function makeWorkloads(client: Client): Promise<void> {
  await client.create(namespaces, { metadata: { name: truthNamespace } } as never);
  const put = (type: Parameters<Client["create"]>[0], object: object) =>
    client.create(type, object as ApiObject, { namespace: truthNamespace });
  await put(deployments as never, workload("web", { replicas: 3, stopSeconds: 1, isSpread: true }));
  await put(deployments as never, workload("solo", { replicas: 1, stopSeconds: 2 }));
  await put(deployments as never, workload("pair", { replicas: 2, stopSeconds: 3, isSpread: true }));
  await put(statefulSets as never, { ...workload("db", { replicas: 1, stopSeconds: 1 }), kind: "StatefulSet" });
  await put(podDisruptionBudgets as never, {
    metadata: { name: "pair" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "pair" } } },
  });
}

/** A program that is ready three seconds after its start, and stops after the given time. */
function workload(
  app: string,
  { replicas, stopSeconds, isSpread = false }: { replicas: number; stopSeconds: number; isSpread?: boolean },
): object {
  const labels = { app };
  const constraint = {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: labels },
  };
  const script = `trap 'sleep ${stopSeconds}; exit 0' TERM; sleep 3; touch /tmp/ready; while :; do sleep 1 & wait $!; done`;
  return {
    metadata: { name: app },
    spec: {
      replicas,
      serviceName: app,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 10,
          tolerations: lost.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds })),
          ...(isSpread ? { topologySpreadConstraints: [constraint] } : {}),
          containers: [
            {
              name: "c",
              image: "busybox:1",
              command: ["sh", "-c", script],
              readinessProbe: { exec: { command: ["cat", "/tmp/ready"] }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  };
}
