import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultPodSecurity } from "../../server-options.ts";
import { aPod, TestServer } from "../../testing/test-server.ts";
import { readAdmissionConfiguration } from "./admission-configuration.ts";

const pods = "/api/v1/namespaces/n/pods";
const label = (mode: string) => `pod-security.kubernetes.io/${mode}`;

async function startWith(labels: Record<string, string>, options = {}): Promise<TestServer> {
  const server = await TestServer.start(options);
  const created = await server.post("/api/v1/namespaces", { metadata: { name: "n", labels } });
  expect(created.status).toBe(201);
  return server;
}

const hostPod = (name: string) => aPod(name, { spec: { hostNetwork: true } });
const lawful = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [
    {
      name: "main",
      image: "i",
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    },
  ],
};

describe("a namespace's labels", () => {
  test("reject pods by enforce, in upstream's words", async () => {
    await using server = await startWith({ [label("enforce")]: "baseline", [label("enforce-version")]: "v1.24" });
    expect(await server.post(pods, hostPod("bad"))).toMatchObject({
      status: 403,
      json: {
        reason: "Forbidden",
        message: 'pods "bad" is forbidden: violates PodSecurity "baseline:v1.24": host namespaces (hostNetwork=true)',
      },
    });
    expect((await server.post(pods, aPod("good"))).status).toBe(201);
  });

  test("warn about a pod once for the level warn, unless the pod is rejected", async () => {
    await using server = await startWith({ [label("warn")]: "restricted", [label("enforce")]: "baseline" });
    const warned = await server.post(pods, aPod("p"));
    expect(warned.status).toBe(201);
    expect(warned.headers["warning"]).toMatch(/^299 - "would violate PodSecurity \\"restricted:latest\\": allowPriv/);
    expect(warned.headers["warning"]?.match(/would violate/g)).toHaveLength(1);
    expect((await server.post(pods, hostPod("q"))).headers["warning"]).toBeUndefined();
    expect((await server.post(pods, aPod("r", { spec: lawful }))).headers["warning"]).toBeUndefined();
  });

  test("warn about templates and never reject them", async () => {
    await using server = await startWith({ [label("warn")]: "baseline", [label("enforce")]: "restricted" });
    const template = { metadata: { labels: { a: "b" } }, spec: { ...hostPod("x").spec } };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    const jobTemplate = { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } };
    const objects: [path: string, object: object][] = [
      ["/apis/apps/v1/namespaces/n/deployments", { spec }],
      ["/apis/apps/v1/namespaces/n/daemonsets", { spec }],
      ["/api/v1/namespaces/n/podtemplates", { template }],
      ["/apis/batch/v1/namespaces/n/cronjobs", { spec: { schedule: "* * * * *", jobTemplate } }],
    ];
    for (const [path, object] of objects) {
      const answer = await server.post(path, { metadata: { name: "w" }, ...object });
      expect([answer.status, answer.headers["warning"]]).toEqual([
        201,
        '299 - "would violate PodSecurity \\"baseline:latest\\": host namespaces (hostNetwork=true)"',
      ]);
    }
  });

  test("let running pods change except for their image", async () => {
    await using server = await startWith({});
    await server.post(pods, hostPod("p"));
    await server.patch("/api/v1/namespaces/n", { metadata: { labels: { [label("enforce")]: "baseline" } } });
    expect((await server.patch(`${pods}/p`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    const image = [{ op: "replace", path: "/spec/containers/0/image", value: "other" }];
    const contentType = "application/json-patch+json";
    expect((await server.patch(`${pods}/p`, image, { contentType })).status).toBe(403);
    expect((await server.patch(`${pods}/p/status`, { status: { phase: "Running" } })).status).toBe(200);
    const debug = { spec: { ephemeralContainers: [{ name: "d", image: "i" }] } };
    expect((await server.patch(`${pods}/p/ephemeralcontainers`, debug)).status).toBe(403);
  });

  test("must be valid when they are set", async () => {
    await using server = await startWith({});
    const refused = await server.patch("/api/v1/namespaces/n", {
      metadata: { labels: { [label("enforce")]: "strict", [label("warn-version")]: "1.24" } },
    });
    expect(refused).toMatchObject({
      status: 422,
      json: {
        message: expect.stringContaining(
          'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
        ),
      },
    });
    expect(refused.json.message).toContain('Invalid value: "1.24": must be "latest" or "v1.x"');
  });

  test("that become stricter warn about existing pods", async () => {
    await using server = await startWith({});
    for (const name of ["b", "a", "c"]) await server.post(pods, hostPod(name));
    await server.post(pods, aPod("d"));
    const enforce = (level: string) =>
      server.patch("/api/v1/namespaces/n", { metadata: { labels: { [label("enforce")]: level } } });
    const answer = await enforce("baseline");
    expect([answer.status, answer.headers["warning"]]).toEqual([
      200,
      '299 - "existing pods in namespace \\"n\\" violate the new PodSecurity enforce level \\"baseline:latest\\"", ' +
        '299 - "a (and 2 other pods): host namespaces"',
    ]);
    expect((await enforce("privileged")).headers["warning"]).toBeUndefined();
  });
});

describe("exemptions", () => {
  const exemptions = { usernames: ["boss"], namespaces: ["free"], runtimeClasses: [] };
  const defaults = { ...defaultPodSecurity.defaults, enforce: { level: "baseline", version: "latest" } } as const;
  const options = { podSecurity: { defaults, exemptions } };

  test("the configured defaults apply where a namespace has no labels", async () => {
    await using server = await startWith({}, options);
    expect((await server.post(pods, hostPod("p"))).status).toBe(403);
  });

  test("users and namespaces are exempt by name", async () => {
    await using server = await startWith({}, options);
    const user = { name: "boss", groups: ["system:masters"] };
    expect((await server.post(pods, hostPod("p"), { user })).status).toBe(201);
    const labels = { [label("enforce")]: "restricted" };
    const created = await server.post("/api/v1/namespaces", { metadata: { name: "free", labels } });
    expect(created.headers["warning"]).toBe(
      '299 - "namespace \\"free\\" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored"',
    );
    expect((await server.post("/api/v1/namespaces/free/pods", hostPod("p"))).status).toBe(201);
  });
});

describe("the file of --admission-control-config-file", () => {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "pod-security-"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function write(name: string, lines: readonly string[]): Promise<string> {
    await writeFile(join(directory, name), lines.join("\n"));
    return join(directory, name);
  }
  const head = ["apiVersion: apiserver.config.k8s.io/v1", "kind: AdmissionConfiguration", "plugins:"];
  const own = ["apiVersion: pod-security.admission.config.k8s.io/v1", "kind: PodSecurityConfiguration"];

  test("configures PodSecurity in the file itself or in a referenced file", async () => {
    const settings = [
      ...own,
      "defaults:",
      "  enforce: baseline",
      "  enforce-version: v1.30",
      "exemptions:",
      "  namespaces: [kube-system]",
    ];
    const inside = [...head, "  - name: PodSecurity", "    configuration:", ...settings.map((line) => `      ${line}`)];
    await write("pod-security.yaml", settings);
    const beside = [...head, "  - name: PodSecurity", "    path: pod-security.yaml"];
    for (const file of [await write("inside.yaml", inside), await write("beside.yaml", beside)]) {
      expect(await readAdmissionConfiguration(file)).toEqual({
        defaults: { ...defaultPodSecurity.defaults, enforce: { level: "baseline", version: "v1.30" } },
        exemptions: { usernames: [], namespaces: ["kube-system"], runtimeClasses: [] },
      });
    }
    expect(await readAdmissionConfiguration(await write("none.yaml", head.slice(0, 2)))).toBeUndefined();
  });

  test("is rejected with the place of each fault", async () => {
    const lines = [...head, "  - name: PodSecurity", "    configuration:"];
    const settings = [...own, "defaults:", "  enforce: strict", "  warn-version: 1.x"];
    const file = await write("bad.yaml", [...lines, ...settings.map((line) => `      ${line}`)]);
    await expect(readAdmissionConfiguration(file)).rejects.toThrow(/bad\.yaml:9[\s\S]*bad\.yaml:10/);
  });
});
