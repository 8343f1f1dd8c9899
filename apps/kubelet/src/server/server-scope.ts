/** The groups of the server's routes, in the order of their rights. */
export type ServerScope = "health" | "metrics" | "stats" | "pods" | "logs" | "streams";

interface Permission {
  /**
   * Subresources of the node, of which one permission is enough; empty: any certificate of the
   * cluster is sufficient.
   */
  subresources: readonly string[];
  /** The verb for every method; absent: the verb of the method. */
  verb?: "create";
}

/**
 * The rights that a client needs, as in upstream's pkg/kubelet/server/auth.go with
 * KubeletFineGrainedAuthz. Health is open to every certificate, which replaces upstream's second
 * port for it. A WebSocket request is a GET, and the right to "get" must not give access to
 * containers, so streams require "create" for every method.
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
