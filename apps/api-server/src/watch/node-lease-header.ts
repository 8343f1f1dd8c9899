import { nodes } from "@kintsugi/api";
import type { Store } from "@kintsugi/store";
import type { ApiResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { storeKey, storeResource } from "../resources/keys.ts";
import type { NodeRevisions } from "./node-revisions.ts";

const podsHeader = "kintsugi-node-pods-revision";
const nodeHeader = "kintsugi-node-revision";

/** The part of a server's context that holds the revisions of nodes and of their pods. */
interface RevisionContext {
  readonly store: Pick<Store, "find" | "lastRevisionOf">;
  readonly nodeRevisions: Pick<NodeRevisions, "lastOf">;
}

/**
 * The answer to a kubelet's heartbeat contains the last revisions of its node and its pods, so that
 * the kubelet detects a lost last event.
 */
export function withNodeRevisions(context: RevisionContext, call: ResourceCall, response: ApiResponse): ApiResponse {
  const { namespace, name, verb } = call.info;
  const { exceptions } = call.resource.kind;
  const renews = verb === "update" || verb === "patch";
  if (exceptions.heartbeatOf === undefined || !renews || response.status !== 200) return response;
  const nodeName = exceptions.heartbeatOf({ namespace, name });
  if (nodeName === "") return response;
  const { store, nodeRevisions } = context;
  // A missing Node may have been deleted by any change up to the last change of a Node.
  const ofNode = store.find(storeKey(nodes, "", nodeName))?.revision ?? store.lastRevisionOf(storeResource(nodes));
  response.headers[podsHeader] = String(nodeRevisions.lastOf(nodeName));
  response.headers[nodeHeader] = String(ofNode);
  return response;
}
