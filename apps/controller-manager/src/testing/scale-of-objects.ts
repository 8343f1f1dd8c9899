import type { ApiObject } from "@kintsugi/api";
import { formatSelector, type LabelSelector, toSelector } from "@kintsugi/api";
import type { HandlerRequest, HandlerResponse } from "@kintsugi/client";
import type { MemoryApi } from "@kintsugi/client/testing";

interface Scaled extends ApiObject {
  spec?: { replicas?: number; selector?: LabelSelector };
  status?: { replicas?: number };
}

/** Serves the subresource `scale` of an object with `spec.replicas`, which is stored unchanged. */
export function answerScale(log: MemoryApi["log"], request: HandlerRequest): HandlerResponse {
  const [, namespace = "", resource = "", name = ""] =
    /\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)\/scale$/.exec(request.path) ?? [];
  const found = log.find(resource, namespace, name) as Scaled | undefined;
  if (found?.spec?.replicas === undefined) {
    const details = found === undefined ? { name, kind: resource } : {};
    return answer(404, {
      kind: "Status",
      reason: "NotFound",
      code: 404,
      message: notFound(found, resource, name),
      details,
    });
  }
  if (request.method === "GET") return answer(200, scaleOf(found));
  const sent = JSON.parse(Buffer.from(request.body ?? []).toString()) as Scaled;
  if (sent.metadata.resourceVersion !== found.metadata.resourceVersion) {
    return answer(409, { kind: "Status", reason: "Conflict", code: 409, message: "the object has been modified" });
  }
  const next = { ...found, spec: { ...found.spec, replicas: sent.spec?.replicas ?? 0 } };
  return answer(200, scaleOf(log.put(resource, next)));
}

function notFound(found: Scaled | undefined, resource: string, name: string): string {
  return found === undefined ? `${resource} "${name}" not found` : "the server could not find the requested resource";
}

function scaleOf({ metadata, spec, status }: Scaled): object {
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata,
    spec: { replicas: spec?.replicas ?? 0 },
    status: { replicas: status?.replicas ?? 0, selector: formatSelector(toSelector(spec?.selector)) },
  };
}

function answer(status: number, body: object): HandlerResponse {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(body)) };
}
