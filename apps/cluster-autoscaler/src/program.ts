import { createCloudClient } from "@kintsugi/cloud";
import { defineProgram } from "@kintsugi/controller/program";
import { flag } from "@kintsugi/daemon";
import { runClusterAutoscaler } from "./cluster-autoscaler.ts";
import { upstreamOptions } from "./model/options.ts";

export const program = defineProgram({
  name: "cluster-autoscaler",
  description: "Requests machines from a cloud for pods that fit no node, and removes machines that are not needed.",
  port: 8085,
  lease: "cluster-autoscaler",
  options: {
    "cloud-socket": flag.path({
      help: "Path of the cloud's socket",
      required: true,
      example: "/run/kintsugi/cloud.sock",
    }),
    timeout: flag.durationMs({ help: "Timeout of a call to the cloud", fallback: 15_000 }),
    "scan-interval": flag.durationMs({
      help: "Interval between two checks of the cluster",
      fallback: upstreamOptions.scanIntervalMs,
    }),
    "scale-down-unneeded-time": flag.durationMs({
      help: "Time for which a node must be unneeded before it is removed",
      fallback: upstreamOptions.unneededMs,
    }),
    "scale-down-delay-after-add": flag.durationMs({
      help: "Time after a request for machines in which no node is removed",
      fallback: upstreamOptions.delayAfterAddMs,
    }),
    "scale-down-delay-after-failure": flag.durationMs({
      help: "Time after a failed removal in which no node is removed",
      fallback: upstreamOptions.delayAfterFailureMs,
    }),
    "scale-down-unready-time": flag.durationMs({
      help: "Time for which a node must be not ready before it is removed",
      fallback: upstreamOptions.unreadyMs,
    }),
    "scale-down-utilization-threshold": flag.number({
      help: "Share of a node's resources that its pods request, above which the node is not removed",
      fallback: upstreamOptions.utilizationMax,
    }),
    "max-node-provision-time": flag.durationMs({
      help: "Time in which a machine has to become a node",
      fallback: upstreamOptions.provisionMaxMs,
    }),
    "max-pod-eviction-time": flag.durationMs({
      help: "Time in which the pods of a node must be evicted before its removal",
      fallback: upstreamOptions.drainMaxMs,
    }),
    "initial-node-group-backoff-duration": flag.durationMs({
      help: "First pause of a group that failed; it doubles with each failure",
      fallback: upstreamOptions.backoffInitialMs,
    }),
    "max-node-group-backoff-duration": flag.durationMs({
      help: "Longest pause of a group that failed",
      fallback: upstreamOptions.backoffMaxMs,
    }),
    "max-empty-bulk-delete": flag.count({
      min: 1,
      max: 100,
      help: "Number of empty nodes that are removed at the same time",
      fallback: upstreamOptions.emptyBulkMax,
    }),
  },
  read: (given) => ({
    cloudSocket: given["cloud-socket"],
    callTimeoutMs: given.timeout,
    scaling: {
      scanIntervalMs: given["scan-interval"],
      unneededMs: given["scale-down-unneeded-time"],
      delayAfterAddMs: given["scale-down-delay-after-add"],
      delayAfterFailureMs: given["scale-down-delay-after-failure"],
      unreadyMs: given["scale-down-unready-time"],
      utilizationMax: given["scale-down-utilization-threshold"],
      provisionMaxMs: given["max-node-provision-time"],
      drainMaxMs: given["max-pod-eviction-time"],
      backoffInitialMs: given["initial-node-group-backoff-duration"],
      backoffMaxMs: given["max-node-group-backoff-duration"],
      emptyBulkMax: given["max-empty-bulk-delete"],
    },
  }),
  start({ client, clock, random, log, metrics, leaderElection, config }) {
    const { cloudSocket: socket, callTimeoutMs, scaling } = config;
    const cloud = createCloudClient({ socket, callTimeoutMs });
    const deps = { client, clock, random, log, metrics, cloud };
    return {
      name: "cluster-autoscaler",
      run: (signal) => runClusterAutoscaler(deps, { scaling, leaderElection }, signal),
    };
  },
});
