import { type ApiObject, type TimelineEntry, nodeLeaseNamespace } from "@kintsugi/api";
import type { KindsRead } from "@kintsugi/explanation";
import { RequestRefused } from "../data/api.ts";
import { type FollowDeps, followKind, poll, repeatUntilAborted } from "../data/follow.ts";
import { type ReadKind, kindPath } from "../data/kinds.ts";
import type { Cluster } from "./cluster.ts";

const timelinePath = "/apis/kintsugi.dev/v1alpha1/timeline";
/** Older steps are not drawn, because the picture shows at most the last hour. */
const historyMs = 60 * 60_000;

/**
 * Kinds that are watched. A browser opens six connections to a server without HTTP/2, such as a
 * local proxy: these watches and the timeline leave two for everything else.
 */
const watched = ["pods", "nodes", "events"] as const satisfies readonly ReadKind[];

const polled = [
  "replicasets",
  "deployments",
  "statefulsets",
  "daemonsets",
  "jobs",
  "services",
  "endpointslices",
  "poddisruptionbudgets",
  "namespaces",
] as const satisfies readonly ReadKind[];

/**
 * Interval at which lists of workloads are read; each object of a list lengthens it by
 * `pollMsPerItem`.
 */
const [pollMs, pollMsPerItem] = [3_000, 5] as const;
const [leaseMs, leaseMsPerItem] = [1_000, 10] as const;
/** Number of Events that are kept; a cluster in trouble has more than people read. */
const eventsMax = 2_000;

/**
 * Reads the cluster with the user's rights until the signal aborts; `namespace` limits it to one
 * namespace, for users who may not read all namespaces.
 */
export async function readCluster(
  deps: FollowDeps,
  { cluster, namespace }: { cluster: Cluster; namespace: string },
  signal: AbortSignal,
): Promise<void> {
  await readTimeline(deps, { cluster, namespace }, signal);
  const problemOf = (kind: ReadKind) => (problem: RequestRefused | undefined) => cluster.report(kind, problem);
  const watches = watched.map((kind) =>
    followKind<ApiObject>(
      deps,
      {
        path: kindPath(kind, namespace),
        receiver: {
          onList: (items) => cluster.replace(kind, items as never),
          onChange: (object) => {
            cluster.put(kind, object as never);
            if (kind === "events") cluster.forgetOldest("events", eventsMax);
          },
          onGone: (object) => cluster.remove(kind, object as never),
          onProblem: problemOf(kind),
        },
      },
      signal,
    ),
  );
  const polls = polled.map((kind) =>
    poll<KindsRead[typeof kind]>(
      deps,
      {
        path: kindPath(kind, namespace),
        intervalMs: (items) => pollMs + items * pollMsPerItem,
        receiver: { onList: (items) => cluster.replace(kind, items as never), onProblem: problemOf(kind) },
      },
      signal,
    ),
  );
  const leases = poll<KindsRead["leases"]>(
    deps,
    {
      path: kindPath("leases", nodeLeaseNamespace),
      intervalMs: (items) => leaseMs + items * leaseMsPerItem,
      receiver: { onList: (items) => cluster.replace("leases", items), onProblem: problemOf("leases") },
    },
    signal,
  );
  await Promise.all([...watches, ...polls, leases, followTimeline(deps, { cluster, namespace }, signal)]);
}

/**
 * Reads the past from the server's timeline. If the user may not read the timeline, or the API
 * server does not serve a timeline, the page derives the past.
 */
async function readTimeline(
  { api }: FollowDeps,
  { cluster, namespace }: { cluster: Cluster; namespace: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    const since = Math.max(0, Math.floor(cluster.nowMs() - historyMs));
    const { items } = (await api.get(
      `${timelinePath}?since=${since}&resourceVersion=${cluster.story.revision}`,
      signal,
    )) as { items: TimelineEntry[] };
    cluster.applySteps(
      items.filter((step) => namespace === "" || step.kind === "Node" || step.namespace === namespace),
    );
    cluster.hasTimeline = true;
  } catch (error) {
    if (signal.aborted) return;
    cluster.report("timeline", error instanceof RequestRefused ? error : new RequestRefused(0, String(error)));
  }
}

async function followTimeline(
  { api, clock }: FollowDeps,
  { cluster, namespace }: { cluster: Cluster; namespace: string },
  signal: AbortSignal,
): Promise<void> {
  if (!cluster.hasTimeline) return;
  const work = async (worked: () => void) => {
    const path = `${timelinePath}?watch=true&resourceVersion=${cluster.story.revision}`;
    for await (const line of api.lines(path, signal)) {
      worked();
      const { object } = line as { object: TimelineEntry };
      if (namespace === "" || object.kind === "Node" || object.namespace === namespace) cluster.applySteps([object]);
    }
    cluster.report("timeline", undefined);
  };
  await repeatUntilAborted(clock, { work, onProblem: (problem) => cluster.report("timeline", problem) }, signal);
}
