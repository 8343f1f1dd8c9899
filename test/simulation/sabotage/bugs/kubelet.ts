import type { PlantedBug } from "../planted-bug.ts";

const kubelet = "apps/kubelet/src";

/** Bugs of the kubelet. */
export const kubeletBugs: readonly PlantedBug[] = [
  {
    name: "a pod that gets a new sandbox resets its restart count",
    file: `${kubelet}/pods/plan/plan-pod.ts`,
    find: "...containers.map((each) => planStart(input, each)),\n  ];\n}\n\nfunction containersToStart",
    replace:
      "...containers.map((each) => ({ ...planStart(input, each), attempt: 0 })),\n  ];\n}\n\nfunction containersToStart",
    caughtBy: "containers-run-once",
    run: "containers and sandboxes are killed",
    seed: 1,
  },
  {
    name: "a kubelet does not remove the remains of deleted pods",
    file: `${kubelet}/node/cleanup/housekeeping.ts`,
    find: "      workers.removeUnknown(pod);\n",
    replace: "",
    caughtBy: "orphaned-containers-are-removed",
    run: "pods are force-deleted while their kubelets are down",
    seed: 1,
  },
  {
    name: "the first back-off is 9 s instead of 10",
    file: `${kubelet}/pods/plan/restart-backoff.ts`,
    find: 'return { kind: "start", carryMs: options.initialMs };',
    replace: 'return { kind: "start", carryMs: options.initialMs * 0.9 };',
    caughtBy: "restarts-follow-back-off",
    run: "containers crash",
    seed: 1,
  },
  {
    name: "restarts are counted from the containers that the runtime still has",
    file: `${kubelet}/pods/status/container-statuses.ts`,
    find: "? statusOfInstances(instances, previous)",
    replace: "? { ...statusOfInstances(instances, previous), restartCount: instances.length - 1 }",
    caughtBy: "ended-pods-stay-ended",
    run: "containers crash",
    seed: 1,
  },
  {
    name: "a kubelet that starts restarts the running containers",
    file: `${kubelet}/pods/work/pod-syncer.ts`,
    find: "    let observed = await reader.read(asked, signal);\n",
    replace:
      "    let observed = await reader.read(asked, signal);\n    if (!(this.known ??= new Set()).has(asked.metadata.uid)) for (const { id, state } of observed.containers) if (state === 'running') await this.#deps.runtime.stopContainer(id, 0, signal);\n    this.known.add(asked.metadata.uid);\n",
    caughtBy: "running-containers-are-kept",
    run: "kubelets are killed",
    seed: 1,
  },
];
