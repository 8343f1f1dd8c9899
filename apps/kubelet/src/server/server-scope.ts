/** What the server offers, from harmless to powerful. */
export type ServerScope = "health" | "metrics" | "stats" | "pods" | "logs" | "streams";

interface Permission {
  /**
   * Subresources of the node, of which one is enough; none: whoever has a certificate of the
   * cluster may.
   */
  subresources: readonly string[];
  /** Whatever the method; absent: what the method means. */
  verb?: "create";
}

/**
 * What a client has to be allowed, as upstream asks (pkg/kubelet/server/auth.go, with
 * KubeletFineGrainedAuthz). Health is open to every certificate, in place of upstream's second port
 * for it. A WebSocket is a GET, and who may only "get" must not reach into containers: streams take
 * "create", whatever the method.
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
