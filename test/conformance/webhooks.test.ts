import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import { type ConformanceClient, eventually, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

// Upstream's webhooks run in the cluster, behind a Service. The webhooks here are servers of the
// test, which are registered by their URLs.

/** Serves a webhook whose answers are computed from the requests in its reviews. */
async function startWebhook(api: ConformanceClient, respond: (request: Json) => Json) {
  const { certificate, key } = await api.authority.issue({
    commonName: "webhook",
    usages: ["server"],
    ipAddresses: ["127.0.0.1"],
  });
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Json;
      const { apiVersion, kind, request: asked } = review;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, ...respond(asked) } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    clientConfig: {
      url: `https://127.0.0.1:${port}/`,
      caBundle: Buffer.from(api.authority.certificate).toString("base64"),
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Upstream's webhook of ConfigMaps: adds a key for a key that the object has. */
function mutateConfigMap({ object }: Json): Json {
  const patch = object.data?.["mutation-start"] ? [{ op: "add", path: "/data/mutation-stage-1", value: "yes" }] : [];
  return { allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
}

/** The versions of upstream's definition: v1 has host and port, v2 has hostPort. */
function convert({ objects, desiredAPIVersion }: Json): Json {
  const convertedObjects = objects.map((object: Json) => {
    if (object.apiVersion === desiredAPIVersion) return object;
    const { hostPort, host, port, ...rest } = object;
    const [first, second] = (hostPort ?? "").split(":");
    const converted = desiredAPIVersion.endsWith("/v1")
      ? { host: first, port: second }
      : { hostPort: `${host}:${port}` };
    return { ...rest, ...converted, apiVersion: desiredAPIVersion };
  });
  return { result: { status: "Success" }, convertedObjects };
}

const text = { type: "string" };
const version = (name: string, storage: boolean, properties: Json, fields: readonly string[]) => ({
  name,
  storage,
  served: true,
  schema: { openAPIV3Schema: { type: "object", properties } },
  selectableFields: fields.map((jsonPath) => ({ jsonPath })),
});

const namesOf = ({ items }: Json): string[] => (items ?? []).map(({ metadata }: Json) => metadata.name).toSorted();

const tests: AreaTest[] = [
  {
    tier: "A",
    codename:
      "[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate everything except 'skip-me' configmaps [Conformance]",
    check: async (api) => {
      await using webhook = await startWebhook(api, mutateConfigMap);
      const namespace = await api.namespace("skip");
      const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
      const name = `skip-${api.encoding}`;
      const created = await expectStatus(
        201,
        api.post(configurations, {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "MutatingWebhookConfiguration",
          metadata: { name },
          webhooks: [
            {
              name: "adding-configmap-data-stage-1.example.com",
              clientConfig: webhook.clientConfig,
              rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
              matchConditions: [{ name: "skip-me", expression: "object.metadata.name != 'skip-me'" }],
              sideEffects: "None",
              admissionReviewVersions: ["v1", "v1beta1"],
            },
          ],
        }),
      );
      expect(created.webhooks[0].matchConditions).toHaveLength(1);
      const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
      const configMap = (of: string) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: of },
        data: { "mutation-start": "yes" },
      });
      // The configuration applies as soon as the server has read it.
      await eventually(
        () => api.post(`${configMaps}?dryRun=All`, configMap("marker")),
        ({ json }) => json.data?.["mutation-stage-1"] === "yes",
      );
      expect((await expectStatus(201, api.post(configMaps, configMap("skip-me")))).data).toEqual({
        "mutation-start": "yes",
      });
      expect((await expectStatus(201, api.post(configMaps, configMap("not-skip-me")))).data).toEqual({
        "mutation-start": "yes",
        "mutation-stage-1": "yes",
      });
      await expectStatus(200, api.delete(`${configurations}/${name}`));
    },
  },
  {
    tier: "A",
    codename:
      "[sig-api-machinery] CustomResourceFieldSelectors [Privileged:ClusterAdmin] CustomResourceFieldSelectors MUST list and watch custom resources matching the field selector [Conformance]",
    check: async (api) => {
      await using webhook = await startWebhook(api, convert);
      const group = `selectable-${api.encoding}.example.com`;
      await expectStatus(
        201,
        api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: `endpoints.${group}` },
          spec: {
            group,
            scope: "Namespaced",
            names: { plural: "endpoints", singular: "endpoint", kind: "Endpoint", listKind: "EndpointList" },
            versions: [
              version("v1", true, { host: text, port: text }, [".host", ".port"]),
              version("v2", false, { hostPort: text }, [".hostPort"]),
            ],
            conversion: {
              strategy: "Webhook",
              webhook: { clientConfig: webhook.clientConfig, conversionReviewVersions: ["v1"] },
            },
          },
        }),
      );
      const namespace = await api.namespace("selectable");
      const at = (of: string) => `/apis/${group}/${of}/namespaces/${namespace}/endpoints`;
      await eventually(
        async () => [(await api.get(at("v1"))).status, (await api.get(at("v2"))).status],
        (answered) => answered.join() === "200,200",
      );
      const create = (of: string, name: string, fields: Json) =>
        expectStatus(
          201,
          api.post(at(of), { apiVersion: `${group}/${of}`, kind: "Endpoint", metadata: { name }, ...fields }),
        );
      await create("v1", "v1-a", { host: "host1", port: "80" });
      await create("v1", "v1-b", { host: "host1", port: "8080" });
      await create("v2", "v2-a", { hostPort: "host1:80" });
      await create("v2", "v2-b", { hostPort: "host2:8080" });
      const selected = async (of: string, selector: string) =>
        namesOf(await expectStatus(200, api.get(`${at(of)}?fieldSelector=${encodeURIComponent(selector)}`)));
      expect(await selected("v1", "host=host1,port=80")).toEqual(["v1-a", "v2-a"]);
      expect(await selected("v1", "host=host1")).toEqual(["v1-a", "v1-b", "v2-a"]);
      expect(await selected("v2", "hostPort=host1:80")).toEqual(["v1-a", "v2-a"]);
      expect(await selected("v2", "hostPort=host2:8080")).toEqual(["v2-b"]);

      const watching = (of: string, selector: string, count: number) =>
        api.watchUntil(`${at(of)}?fieldSelector=${encodeURIComponent(selector)}`, ({ length }) => length === count);
      const byHost = watching("v1", "host=host1", 5);
      const byHostPort = watching("v2", "hostPort=host1:80", 4);
      // The watches begin with the existing objects; the changes follow.
      await eventually(
        () => selected("v1", "host=host1"),
        ({ length }) => length === 3,
      );
      await expectStatus(200, api.delete(`${at("v1")}/v1-b`));
      await expectStatus(200, api.patch(`${at("v2")}/v2-a`, { hostPort: "host2:80" }));
      await expectStatus(200, api.patch(`${at("v2")}/v2-b`, { hostPort: "host1:80" }));
      await expectStatus(200, api.patch(`${at("v1")}/v1-a`, { metadata: { labels: { seen: "yes" } } }));
      const seen = (events: readonly Json[]) =>
        events.slice(0).map(({ type, object }) => `${type} ${object.metadata.name}`);
      expect(seen(await byHost).toSorted()).toEqual([
        "ADDED v1-a",
        "ADDED v1-b",
        "ADDED v2-a",
        "DELETED v1-b",
        "DELETED v2-a",
      ]);
      expect(seen(await byHostPort).toSorted()).toEqual(["ADDED v1-a", "ADDED v2-a", "ADDED v2-b", "DELETED v2-a"]);
      expect(await selected("v1", "host=host1,port=80")).toEqual(["v1-a", "v2-b"]);
      expect(await selected("v2", "hostPort=host1:80")).toEqual(["v1-a", "v2-b"]);
    },
  },
];

describeArea(tests);
