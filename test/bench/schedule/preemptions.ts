import { ClusterState, decide, defaultPlugins, planPreemption, podInfoOf, type PodInfo } from "@kintsugi/scheduling";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";

// Runs upstream's PreemptionBasic in one process: each node is full with four less important pods,
// and a measured pod requires the eviction of three pods. Every second measured pod keeps its
// nomination.

const nodeCounts = [1_000, 5_000] as const;
const victimsPerNode = 4;
const important = 10;

/** The times to find that a pod fits no node, and to plan room for it. */
export function measurePreemptions(count: number): Figure[] {
  return nodeCounts.flatMap((nodes) => {
    const state = fullCluster(nodes);
    const rejected: number[] = [];
    const planned: number[] = [];
    for (let i = 0; i < count; i++) {
      const pod = aPod(`important-${i}`, { cpu: "3", priority: important });
      const options = { plugins: defaultPlugins, tieBreaker: (i * 0.618) % 1 };
      const startedMs = performance.now();
      const decision = decide(pod, state, options);
      const decidedMs = performance.now();
      if (decision.placed) throw new Error(`pod ${i} fits on ${decision.node}, which is full`);
      const plan = planPreemption(pod, state, { ...options, rejections: decision.rejections, budgets: [] });
      rejected.push(decidedMs - startedMs);
      planned.push(performance.now() - decidedMs);
      if (plan.is !== "preempt") throw new Error(`no room is made for pod ${i}: ${plan.is}`);
      for (const { uid } of plan.victims) state.removePod(uid);
      if (i % 2 === 0) state.nominate(pod, plan.nodeName);
      else state.assume(pod, plan.nodeName);
    }
    return [
      figureOf(rejected, { id: `schedule.reject.${nodes}`, what: `decide that a pod fits on none of ${nodes} nodes` }),
      figureOf(planned, { id: `schedule.preempt.${nodes}`, what: `plan a preemption among ${nodes} nodes` }),
    ];
  });
}

function figureOf(samples: readonly number[], { id, what }: { id: string; what: string }): Figure {
  const { p50, min, p99 } = describeSamples([...samples]);
  const detail = `${samples.length} pods, fastest ${min.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms`;
  return { id, what: `${what}, p50`, value: p50, unit: "ms", detail };
}

function fullCluster(nodes: number): ClusterState {
  const state = new ClusterState();
  state.putNamespace({ metadata: { name: "default" } });
  for (let i = 0; i < nodes; i++) {
    const labels = { "kubernetes.io/hostname": `node-${i}`, "topology.kubernetes.io/zone": `zone-${i % 3}` };
    const allocatable = { cpu: "4", memory: "32Gi", pods: "110" };
    state.putNode({ metadata: { name: `node-${i}`, labels }, spec: {}, status: { allocatable } });
  }
  for (let i = 0; i < nodes * victimsPerNode; i++)
    state.putPod(aPod(`low-${i}`, { cpu: "900m", priority: 0 }), `node-${i % nodes}`);
  return state;
}

function aPod(name: string, { cpu, priority }: { cpu: string; priority: number }): PodInfo {
  return podInfoOf({
    metadata: { name, namespace: "default", uid: name },
    spec: {
      priority,
      containers: [
        { name: "pause", image: "registry.k8s.io/pause:3.10.1", resources: { requests: { cpu, memory: "500Mi" } } },
      ],
    },
  });
}
