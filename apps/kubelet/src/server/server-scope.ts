/** The groups of the server's routes, from harmless to powerful. */
export type ServerScope = "health" | "metrics" | "stats" | "pods" | "logs" | "streams";

interface Permission {
  /**
   * Subresources of the node, of which one is enough; none: any certificate of the cluster will do.
   */
  subresources: readonly string[];
  /** The verb for every method; absent: the method's own. */
  verb?: "create";
}

/**
 * The rights that a client needs, as upstream requires them (pkg/kubelet/server/auth.go, with
 * KubeletFineGrainedAuthz). Health is open to every certificate, in place of upstream's second port
 * for it. A WebSocket is a GET, and the right to "get" must not reach into containers: streams take
 * "create" for every method.
 */
export const permissions: Readonly<Record<ServerScope, Permission>> = {
  health: { subresources: [] },
  metrics: { subresources: ["metrics"] },
  stats: { subresources: ["stats"] },
  pods: { subresources: ["pods", "proxy"] },
  logs: { subresources: ["proxy"] },
  streams: { subresources: ["proxy"], verb: "create" },
};

export function verbOf(method: string): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return "delete";
    default:
      return "get";
  }
}
