import { type Answer, type CallOptions, type TestServer } from "./test-server.ts";

export const applyContentType = "application/apply-patch+yaml";
export const configMapsPath = "/api/v1/namespaces/default/configmaps";

/** Applies as a manager; the text after the manager's name is the rest of the query. */
export function applyAs(server: TestServer, manager: string, path: string) {
  const mark = path.includes("?") ? "&" : "?";
  return (body: unknown, options: CallOptions = {}): Promise<Answer> =>
    server.patch(`${path}${mark}fieldManager=${manager}`, body, { contentType: applyContentType, ...options });
}

export function aConfigMap(data: Record<string, string>, metadata: object = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", ...metadata }, data };
}
