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
  containerPlan: { path: "apps/kubelet/src/pods/plan/", decides: "when a container is started again" },
  disruption: {
    path: "apps/controller-manager/src/controllers/disruption/",
    decides: "how many evictions a budget allows",
  },
  scheduling: { path: "packages/scheduling/src/plugins/", decides: "which nodes have room for a pod" },
  replicaSets: {
    path: "apps/controller-manager/src/controllers/replica-set/",
    decides: "how many pods a ReplicaSet makes and deletes",
  },
  deployments: {
    path: "apps/controller-manager/src/controllers/deployment/",
    decides: "how far a rollout goes before its new pods are ready",
  },
  rebalance: {
    path: "apps/controller-manager/src/controllers/rebalance/",
    decides: "whether a pod moves to a node that has come back, and when",
  },
  election: { path: "packages/controller/src/leader-election/", decides: "which of several controllers leads" },
  replicas: { path: "packages/store/src/replicated/", decides: "what a server shows that shares its log with others" },
  watchStream: { path: "packages/watch-stream/src/", decides: "what a message that is lost costs" },
  questions: { path: "packages/rehearsal/src/questions/", decides: "what is asked about a cluster" },
  rehearsedRun: { path: "apps/simulator/src/rehearsal/cluster/", decides: "how the question is simulated" },
} as const;
