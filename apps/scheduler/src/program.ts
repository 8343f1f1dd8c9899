import { isFeatureOn } from "@kintsugi/api";
import { defineProgram } from "@kintsugi/controller/program";
import { featureConfig, featureFlags, flag, inSeconds, recordFeatures } from "@kintsugi/daemon";
import { createClusterBus } from "@kintsugi/watch-stream";
import { z } from "zod";
import { createScheduler } from "./factory.ts";
import { defaultQueueOptions } from "./queue/scheduling-queue.ts";

/**
 * The file has upstream's kind. Settings that upstream has only as flags are in the file under the
 * flag's name in camelCase.
 */
export const program = defineProgram({
  name: "scheduler",
  description: "Assigns pods without a node to nodes.",
  file: { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" },
  port: 10259,
  lease: "kube-scheduler",
  options: {
    kubeconfig: flag.path({
      help: "Kubeconfig with the API server's address and the client's credentials",
      required: true,
      example: "/etc/kintsugi/scheduler.kubeconfig",
      key: "clientConnection.kubeconfig",
    }),
    "scheduler-name": flag.text({
      help: "Scheduler name of the pods that this scheduler places",
      fallback: "default-scheduler",
      key: "profiles",
      form: {
        schema: z
          .tuple([z.strictObject({ schedulerName: z.string() })], {
            error: "is a list of one profile: - schedulerName: NAME",
          })
          .transform(([only]) => only.schedulerName),
        write: (schedulerName) => [{ schedulerName }],
      },
    }),
    ...featureFlags,
    "pod-initial-backoff": flag.durationMs({
      help: "Delay after a pod's first failed attempt",
      fallback: defaultQueueOptions.podInitialBackoffMs,
      key: "podInitialBackoffSeconds",
      form: inSeconds,
    }),
    "pod-max-backoff": flag.durationMs({
      help: "Longest delay after a failed attempt",
      fallback: defaultQueueOptions.podMaxBackoffMs,
      key: "podMaxBackoffSeconds",
      form: inSeconds,
    }),
    "pod-max-in-unschedulable-pods-duration": flag.durationMs({
      help: "Time after which an unschedulable pod is retried without an event",
      fallback: defaultQueueOptions.podMaxWaitingMs,
    }),
  },
  read: (given) => ({
    schedulerName: given["scheduler-name"],
    features: featureConfig(given).features,
    queue: {
      podInitialBackoffMs: given["pod-initial-backoff"],
      podMaxBackoffMs: given["pod-max-backoff"],
      podMaxWaitingMs: given["pod-max-in-unschedulable-pods-duration"],
    },
  }),
  bus: createClusterBus,
  start({ client, changes, clock, random, log, metrics, leaderElection, config }) {
    const { schedulerName, features, queue } = config;
    recordFeatures(metrics, features);
    const devices = isFeatureOn(features, "DynamicResourceAllocation");
    const scheduler = createScheduler(
      { client, changes, clock, random, log, metrics },
      { schedulerName, devices, queue, leaderElection },
    );
    return {
      name: "scheduler",
      run: (signal) => scheduler.run(signal),
      checks: { informers: () => assertSynced(scheduler.synced) },
    };
  },
});

function assertSynced(synced: boolean): void {
  if (!synced) throw new Error("the first lists have not arrived yet");
}
