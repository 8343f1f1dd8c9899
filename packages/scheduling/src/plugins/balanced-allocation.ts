import type { NodeInfo } from "../cluster-state/node-info.ts";
import { type Plugin, scoreMax } from "../framework/plugin.ts";

/** A node scores higher the more evenly its cpu and memory are used once the pod is on it. */
export const balancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  score: {
    weight: 1,
    prepare: (pod) => {
      if ((pod.requests["cpu"] ?? 0) === 0 && (pod.requests["memory"] ?? 0) === 0) return "indifferent";
      const [cpu, memory] = [pod.requests["cpu"] ?? 0, pod.requests["memory"] ?? 0];
      return {
        score: (node) => balance(node, cpu, memory),
        scoreRows: (columns, rows, scores) => {
          for (let i = 0; i < rows.length; i++) {
            const row = rows[i] as number;
            const cpuUsed = (columns.cpu.taken[row] as number) + cpu;
            const memoryUsed = (columns.memory.taken[row] as number) + memory;
            scores[i] = evenness(
              shareOf(cpuUsed, columns.cpu.whole[row] as number),
              shareOf(memoryUsed, columns.memory.whole[row] as number),
            );
          }
        },
      };
    },
  },
};

function balance({ allocatable, requested }: NodeInfo, cpu: number, memory: number): number {
  const cpuShare = shareOf((requested["cpu"] ?? 0) + cpu, allocatable["cpu"] ?? 0);
  return evenness(cpuShare, shareOf((requested["memory"] ?? 0) + memory, allocatable["memory"] ?? 0));
}

function evenness(cpuShare: number, memoryShare: number): number {
  // The standard deviation of two values is half their distance; the deviation of one value is
  // zero.
  const deviation = cpuShare < 0 || memoryShare < 0 ? 0 : Math.abs(cpuShare - memoryShare) / 2;
  return Math.floor((1 - deviation) * scoreMax);
}

/** Returns the used share, at most 1; -1 for a resource that the node does not have. */
function shareOf(used: number, allocatable: number): number {
  return allocatable === 0 ? -1 : Math.min(1, used / allocatable);
}
