import type { ApiResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";

const header = "kintsugi-node-pods-revision";
const nodeLeaseNamespace = "kube-node-lease";

/** The answer to a kubelet's heartbeat says how far the pods of its node have come, so that a lost last event is noticed. */
export function withNodePodsRevision(context: ServerContext, call: ResourceCall, response: ApiResponse): ApiResponse {
  const { resource, namespace, name, verb } = call.info;
  const renews = verb === "update" || verb === "patch";
  if (!renews || resource !== "leases" || namespace !== nodeLeaseNamespace || response.status !== 200) return response;
  response.headers[header] = String(context.nodeRevisions.lastOf(name));
  return response;
}
