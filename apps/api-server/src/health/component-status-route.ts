import {
  apiVersionOf,
  type ComponentStatus,
  componentStatuses,
  componentStatusKind,
  type Lease,
  leases,
  parseTimestamp,
} from "@kintsugi/api";
import { answeredObjects } from "../answers/answered-objects.ts";
import type { BuiltInHandler, BuiltInResource } from "../built-in-route.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";

/** Upstream's names of the components, and the names of their leader election Leases. */
const leaders = [
  ["scheduler", "kube-scheduler"],
  ["controller-manager", "kube-controller-manager"],
] as const;

type Health = { healthy: true } | { healthy: false; because: string };

/**
 * GET /api/v1/componentstatuses: the scheduler, the controller-manager, and the store under
 * upstream's name. Upstream calls the health endpoints of the same host. Here a component is
 * healthy while its leader renews its Lease, regardless of its host.
 */
export function createComponentStatusRoute(
  context: Pick<ServerContext, "clock" | "store" | "encodings">,
): BuiltInResource {
  const read: BuiltInHandler = (request, { name }) => {
    const nowMs = context.clock.nowMs();
    const all = [
      ...leaders.map(([component, lease]) => statusOf(component, healthOf(context, lease, nowMs))),
      // A store that has failed would end this process.
      statusOf("etcd-0", { healthy: true }),
    ];
    const items = name === "" ? all : all.filter(({ metadata }) => metadata.name === name);
    const { encodings } = context;
    const answer = answeredObjects(componentStatusKind, {
      items,
      name,
      accept: request.headers["accept"],
      encodings,
      nowMs,
    });
    answer.headers["warning"] = '299 - "v1 ComponentStatus is deprecated in v1.19+"';
    return answer;
  };
  return { type: componentStatuses, verbs: { get: read, list: read } };
}

function healthOf({ store }: Pick<ServerContext, "store">, lease: string, nowMs: number): Health {
  const entry = store.find(storeKey(leases, "kube-system", lease));
  // A stored object has passed the kind's schema, so it has the kind's shape.
  const spec = entry === undefined ? undefined : (decodeEntry(entry) as Lease).spec;
  if ((spec?.holderIdentity ?? "") === "" || spec?.renewTime === undefined) {
    return { healthy: false, because: `no leader holds the Lease kube-system/${lease}` };
  }
  const silentMs = nowMs - parseTimestamp(spec.renewTime);
  if (silentMs <= (spec.leaseDurationSeconds ?? 0) * 1000) return { healthy: true };
  const seconds = Math.floor(silentMs / 1000);
  return {
    healthy: false,
    because: `${spec.holderIdentity} has not renewed the Lease kube-system/${lease} for ${seconds}s`,
  };
}

function statusOf(name: string, health: Health): ComponentStatus {
  const condition = health.healthy
    ? { type: "Healthy", status: "True", message: "ok" }
    : { type: "Healthy", status: "False", error: health.because };
  return {
    kind: componentStatuses.kind,
    apiVersion: apiVersionOf(componentStatuses),
    metadata: { name },
    conditions: [condition],
  };
}
