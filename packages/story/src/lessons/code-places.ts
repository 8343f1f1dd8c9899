/** The places in the code to which lessons link. */
export const code = {
  nodeLifecycle: {
    path: "apps/controller-manager/src/controllers/node-lifecycle/",
    decides: "when a silent node counts as NotReady, and what taints it gets",
  },
  taintEviction: {
    path: "apps/controller-manager/src/controllers/taint-eviction/",
    decides: "when a pod of a tainted node is deleted",
  },
  containerPlan: { path: "apps/kubelet/src/pods/plan/", decides: "when a container is restarted" },
  disruption: {
    path: "apps/controller-manager/src/controllers/disruption/",
    decides: "how many evictions a budget allows",
  },
  scheduling: { path: "packages/scheduling/src/plugins/", decides: "which nodes have room for a pod" },
  replicaSets: {
    path: "apps/controller-manager/src/controllers/replica-set/",
    decides: "how many pods a ReplicaSet creates and deletes",
  },
  deployments: {
    path: "apps/controller-manager/src/controllers/deployment/",
    decides: "how far a rollout goes before its new pods are ready",
  },
  rebalance: {
    path: "apps/controller-manager/src/controllers/rebalance/",
    decides: "whether a pod moves to a node that has returned, and when",
  },
  election: { path: "packages/controller/src/leader-election/", decides: "which of several controllers leads" },
  replicas: {
    path: "packages/store/src/replicated/",
    decides: "which state a server shows if it shares its log with others",
  },
  watchStream: { path: "packages/watch-stream/src/", decides: "how a lost message is detected" },
  questions: { path: "packages/rehearsal/src/questions/", decides: "which questions a rehearsal asks about a cluster" },
  rehearsedRun: { path: "apps/simulator/src/rehearsal/cluster/", decides: "how the question is simulated" },
} as const;
