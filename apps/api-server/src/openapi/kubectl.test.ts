import type { JsonObject } from "@kintsugi/api";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findKubectls, KubectlLab } from "./testing/kubectl.ts";

/**
 * The oldest and the newest version together send all forms of requests: OpenAPI 2 and 3, SPDY and
 * WebSockets.
 */
const versions = ["1.27", "1.33"];
const kubectls = [...findKubectls()].filter(([version]) => versions.includes(version));
if (kubectls.length === 0) {
  // oxlint-disable-next-line no-console -- says why the tests below are skipped
  console.info("no kubectl.1.NN beside kubectl: real clients are not tested here");
}

const lab = new KubectlLab();
beforeAll(() => lab.start());
afterAll(() => lab[Symbol.asyncDispose]());
beforeEach(() => {
  lab.requests.length = 0;
});

// oxlint-disable-next-line typescript/no-explicit-any -- tests read objects of any kind
type AnyJson = any;

function aReplicaSet(name: string, podSpec: JsonObject, metadata: JsonObject = {}): string {
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, ...metadata },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: podSpec },
    },
  });
}

/** A file without a test would fail. */
const oneAtLeast: [string, string][] = kubectls.length === 0 ? [["(skipped: there is no kubectl.1.NN)", ""]] : kubectls;

describe.skipIf(kubectls.length === 0).each(oneAtLeast)("kubectl %s", { timeout: 30_000 }, (version, kubectl) => {
  const suffix = version.replace(".", "-");

  async function succeed(args: readonly string[], input = ""): Promise<string> {
    const run = await lab.run(kubectl, args, input);
    expect(run.stderr + (run.exitCode === 0 ? "" : run.stdout)).toBe("");
    expect(run.exitCode).toBe(0);
    return run.stdout;
  }

  async function getJson(...args: string[]): Promise<AnyJson> {
    return JSON.parse(await succeed(["get", ...args, "-o", "json"]));
  }

  test("explains a pod's containers with all their fields", async () => {
    const text = await succeed(["explain", "pod.spec.containers", "--recursive"]);
    for (const part of [
      "KIND:       Pod",
      "valueFrom",
      "secretKeyRef",
      "<IntOrString>",
      "livenessProbe",
      "securityContext",
    ]) {
      expect(text).toContain(part);
    }
    expect(await succeed(["explain", "replicasets.spec.replicas"])).toContain("<integer>");
  });

  test("explains from OpenAPI 2 as well", async () => {
    const text = await succeed(["explain", "--output=plaintext-openapiv2", "pod.spec.containers.env"]);
    expect(text).toContain("RESOURCE: env <[]Object>");
    expect(text).toContain("valueFrom");
    expect(lab.requests.map(({ path }) => path.split("?")[0])).toContain("/openapi/v2");
  });

  test("rejects an unknown field in an apply", async () => {
    const manifest = aReplicaSet("typo", { containers: [{ name: "c", image: "i", imagePullPolicies: "Always" }] });
    for (const dryRun of [["--dry-run=server"], []]) {
      const { exitCode, stderr } = await lab.run(kubectl, ["apply", "-f", "-", ...dryRun], manifest);
      expect(stderr).toContain(
        'strict decoding error: unknown field "spec.template.spec.containers[0].imagePullPolicies"',
      );
      expect(exitCode).toBe(1);
    }
  });

  test("merges three ways: its own changes and deletions are written, and other managers' fields remain", async () => {
    const name = `apply-${suffix}`;
    const first = {
      containers: [
        {
          name: "web",
          image: "web:1",
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
          ports: [{ containerPort: 80 }],
        },
        { name: "sidecar", image: "sidecar:1" },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
      tolerations: [{ key: "a", operator: "Exists" }],
    };
    const second = {
      containers: [
        { name: "first", image: "first:1" },
        {
          name: "web",
          image: "web:2",
          env: [
            { name: "C", value: "3" },
            { name: "A", value: "9" },
          ],
          ports: [{ containerPort: 80, name: "http" }],
        },
      ],
      volumes: [{ name: "data", configMap: { name: "web" } }],
      tolerations: [{ key: "b", operator: "Exists" }],
    };
    expect(
      await succeed(["apply", "-f", "-"], aReplicaSet(name, first, { labels: { mine: "1", gone: "1" } })),
    ).toContain("created");
    expect(
      await succeed(["apply", "-f", "-"], aReplicaSet(name, first, { labels: { mine: "1", gone: "1" } })),
    ).toContain("unchanged");
    await succeed(["label", "replicaset", name, "theirs=1"]);
    await succeed([
      "patch",
      "replicaset",
      name,
      "--type=strategic",
      "-p",
      '{"spec":{"template":{"spec":{"containers":[{"name":"injected","image":"injected:1"}],"nodeSelector":{"disk":"ssd"}}}}}',
    ]);
    expect(await succeed(["apply", "-f", "-"], aReplicaSet(name, second, { labels: { mine: "2" } }))).toContain(
      "configured",
    );
    const patches = lab.requests
      .filter(({ method }) => method === "PATCH")
      .map(({ headers }) => headers["content-type"]);
    expect(patches.at(-1)).toBe("application/strategic-merge-patch+json");

    const applied = await getJson("replicaset", name);
    expect(applied.metadata.labels).toEqual({ mine: "2", theirs: "1" });
    const spec = applied.spec.template.spec;
    expect(spec.nodeSelector).toEqual({ disk: "ssd" });
    expect(spec.tolerations).toMatchObject([{ key: "b" }]);
    expect(spec.volumes).toMatchObject([{ name: "data", configMap: { name: "web" } }]);
    expect(spec.volumes[0]).not.toHaveProperty("emptyDir");
    expect(spec.containers.map((container: AnyJson) => container.image).toSorted()).toEqual([
      "first:1",
      "injected:1",
      "web:2",
    ]);
    const own = spec.containers.filter((container: AnyJson) => container.name !== "injected");
    expect(own.map((container: AnyJson) => container.name)).toEqual(["first", "web"]);
    expect(own[1].env).toEqual([
      { name: "C", value: "3" },
      { name: "A", value: "9" },
    ]);
    expect(own[1].ports).toMatchObject([{ containerPort: 80, name: "http" }]);

    // kubectl now sends only the order of its own containers, which is already right, so nothing is
    // written.
    await succeed(["apply", "-f", "-"], aReplicaSet(name, second, { labels: { mine: "2" } }));
    expect((await getJson("replicaset", name)).metadata.resourceVersion).toBe(applied.metadata.resourceVersion);
  });

  test("applies lists of words that several managers write", async () => {
    const name = `words-${suffix}`;
    const manifest = (finalizers: string[]) =>
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, finalizers }, data: { a: "1" } });
    await succeed(["apply", "-f", "-"], manifest(["example.com/a", "example.com/b"]));
    await succeed(["patch", "configmap", name, "-p", '{"metadata":{"finalizers":["example.com/theirs"]}}']);
    await succeed(["apply", "-f", "-"], manifest(["example.com/c", "example.com/b"]));
    const { finalizers } = (await getJson("configmap", name)).metadata;
    expect(finalizers.toSorted()).toEqual(["example.com/b", "example.com/c", "example.com/theirs"]);
    expect(finalizers.indexOf("example.com/c")).toBeLessThan(finalizers.indexOf("example.com/b"));
  });

  test("sends its three types of patch", async () => {
    const name = `patched-${suffix}`;
    await succeed(["create", "configmap", name, "--from-literal=a=1", "--from-literal=b=2"]);
    await succeed([
      "patch",
      "configmap",
      name,
      "--type=json",
      "-p",
      '[{"op":"test","path":"/data/a","value":"1"},{"op":"replace","path":"/data/a","value":"3"}]',
    ]);
    await succeed(["patch", "configmap", name, "--type=merge", "-p", '{"data":{"b":null,"c":"4"}}']);
    expect((await getJson("configmap", name)).data).toEqual({ a: "3", c: "4" });
    const failed = await lab.run(kubectl, [
      "patch",
      "configmap",
      name,
      "--type=json",
      "-p",
      '[{"op":"remove","path":"/data/z"}]',
    ]);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("The request is invalid");
    expect((await getJson("configmap", name)).data).toEqual({ a: "3", c: "4" });
  });

  const created: [kind: string, args: string[], expected: JsonObject][] = [
    ["configmap", ["--from-literal=a=b", "--from-literal=empty="], { data: { a: "b", empty: "" } }],
    [
      "secret",
      ["generic", "NAME", "--from-literal=password=secret"],
      { type: "Opaque", data: { password: "c2VjcmV0" } },
    ],
    ["namespace", [], { kind: "Namespace" }],
    ["serviceaccount", [], { kind: "ServiceAccount" }],
    [
      "role",
      ["--verb=get,list", "--resource=pods,replicasets.apps", "--resource-name=web"],
      {
        rules: [
          { apiGroups: [""], resourceNames: ["web"], resources: ["pods"], verbs: ["get", "list"] },
          { apiGroups: ["apps"], resourceNames: ["web"], resources: ["replicasets"], verbs: ["get", "list"] },
        ],
      },
    ],
    [
      "clusterrole",
      ["--verb=get", "--non-resource-url=/metrics"],
      { rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] },
    ],
    [
      "rolebinding",
      ["--clusterrole=view", "--user=jane", "--serviceaccount=default:bot"],
      {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [
          { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" },
          { kind: "ServiceAccount", name: "bot", namespace: "default" },
        ],
      },
    ],
    [
      "clusterrolebinding",
      ["--clusterrole=view", "--group=devs"],
      { subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "devs" }] },
    ],
    [
      "poddisruptionbudget",
      ["--selector=app=web", "--min-available=50%"],
      { spec: { minAvailable: "50%", selector: { matchLabels: { app: "web" } } } },
    ],
    [
      "service",
      ["clusterip", "NAME", "--tcp=80:8080"],
      { spec: { ports: [{ name: "80-8080", port: 80, protocol: "TCP", targetPort: 8080 }] } },
    ],
  ];

  test.each(created)("creates a %s, as protobuf from 1.32 on", async (kind, args, expected) => {
    const name = `${kind}-${suffix}`;
    const named = args.includes("NAME") ? args.map((arg) => (arg === "NAME" ? name : arg)) : [name, ...args];
    await succeed(["create", kind, ...named]);
    const sent = lab.requests.find(({ method }) => method === "POST")?.headers["content-type"];
    const usesProtobuf = Number(version.split(".")[1]) >= 32;
    expect(sent).toBe(usesProtobuf ? "application/vnd.kubernetes.protobuf" : "application/json");
    const stored = await getJson(kind, name);
    expect(stored).toMatchObject(expected);
    expect(stored.metadata).not.toHaveProperty("generateName");
    expect(stored.metadata).not.toHaveProperty("selfLink");
  });

  test("creates an autoscaler from a command, describes it and prints it", async () => {
    const name = `scaled-${suffix}`;
    await succeed(["apply", "-f", "-"], aReplicaSet(name, { containers: [{ name: "c", image: "image:1" }] }));
    const args = ["autoscale", "replicaset", name, "--min=2", "--max=6", "--cpu-percent=50"];
    expect(await succeed(args)).toContain(`horizontalpodautoscaler.autoscaling/${name} autoscaled`);
    expect((await getJson("hpa", name)).spec).toEqual({
      scaleTargetRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name },
      minReplicas: 2,
      maxReplicas: 6,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    });
    const [header, row] = (await succeed(["get", "hpa", name])).trim().split("\n");
    expect(header?.split(/\s+/)).toEqual(["NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"]);
    expect(row).toMatch(new RegExp(`^${name} +ReplicaSet/${name} +cpu: <unknown>/50% +2 +6 +0 +\\d+s$`));
    const description = await succeed(["describe", "hpa", name]);
    expect(description).toMatch(/resource cpu on pods {2}\(as a percentage of request\): +<unknown> \/ 50%/);
    expect(description).toMatch(/Max replicas: +6/);
    const ofV1 = await getJson("horizontalpodautoscalers.v1.autoscaling", name);
    expect(ofV1.spec).toMatchObject({ minReplicas: 2, maxReplicas: 6, targetCPUUtilizationPercentage: 50 });
    expect(await succeed(["explain", "hpa.spec.behavior.scaleDown"])).toContain("stabilizationWindowSeconds");
  });

  test("prints tables with the server's columns", async () => {
    const name = `table-${suffix}`;
    await succeed(["apply", "-f", "-"], aReplicaSet(name, { containers: [{ name: "c", image: "image:1" }] }));
    const [header, row] = (await succeed(["get", "replicaset", name, "-o", "wide"])).trim().split("\n");
    expect(header?.split(/\s+/)).toEqual([
      "NAME",
      "DESIRED",
      "CURRENT",
      "READY",
      "AGE",
      "CONTAINERS",
      "IMAGES",
      "SELECTOR",
    ]);
    expect(row?.split(/\s+/)).toMatchObject([
      name,
      "2",
      "0",
      "0",
      expect.stringMatching(/^\d+s$/),
      "c",
      "image:1",
      `app=${name}`,
    ]);
  });
});
