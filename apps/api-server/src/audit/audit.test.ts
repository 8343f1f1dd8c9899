import { silentLogger, silentMetrics } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import type { ApiServerDeps } from "../factory.ts";
import { aConfiguration, configurationsPath, FakeWebhooks, patching } from "../testing/fake-webhooks.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import type { AuditFile, AuditLogMode } from "./audit-log.ts";
import { parseAuditPolicy } from "./audit-policy.ts";
import { Auditor } from "./auditor.ts";

const alice = { name: "alice", groups: ["dev"] };

class MemoryFile implements AuditFile {
  text = "";
  failure: Error | undefined;
  /** Resolves when writes may continue. */
  gate: Promise<void> = Promise.resolve();

  async write(text: string): Promise<void> {
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
    this.text += text;
  }

  async close(): Promise<void> {}

  // oxlint-disable-next-line typescript/no-explicit-any -- tests read events of any shape
  get events(): any[] {
    return this.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as unknown);
  }
}

async function startAudited(
  rules: string,
  options: { mode?: AuditLogMode; waitingEventsMax?: number } = {},
  deps: Partial<ApiServerDeps> = {},
) {
  const file = new MemoryFile();
  const policy = parseAuditPolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\n${rules}`, "policy.yaml");
  const auditor = new Auditor(
    { clock: new VirtualClock(), random: new SeededRandom(1), log: silentLogger, metrics: silentMetrics, file },
    { policy, log: { mode: options.mode ?? "blocking", waitingEventsMax: options.waitingEventsMax ?? 100 } },
  );
  const server = await TestServer.start({}, { auditor, ...deps });
  return { server, file, auditor, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const everything = "rules: [{ level: RequestResponse }]";

describe("the recorded events", () => {
  test("Metadata records who did what to which object and its outcome, in upstream's form", async () => {
    await using audited = await startAudited("rules: [{ level: Metadata }]");
    const { server, file } = audited;
    const answer = await server.post(podsPath, aPod("web"), { headers: { "x-forwarded-for": "192.0.2.7, junk" } });
    expect(answer.headers["audit-id"]).toBe(file.events[0].auditID);
    expect(file.events.map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseComplete"]);
    expect(file.events[1]).toEqual({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "Metadata",
      auditID: answer.headers["audit-id"],
      stage: "ResponseComplete",
      requestURI: podsPath,
      verb: "create",
      user: { username: "admin", groups: ["system:masters", "system:authenticated"] },
      sourceIPs: ["192.0.2.7"],
      userAgent: "test",
      objectRef: { resource: "pods", namespace: "default", name: "web", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 201 },
      requestReceivedTimestamp: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      stageTimestamp: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      annotations: {
        "authorization.k8s.io/decision": "allow",
        "authorization.k8s.io/reason": "",
        "pod-security.kubernetes.io/enforce-policy": "privileged:latest",
      },
    });
  });

  test("a Secret's content is recorded only from Request up, and its response only from RequestResponse up", async () => {
    const secret = { metadata: { name: "s" }, stringData: { key: "c2VjcmV0LWNvbnRlbnQ" } };
    const path = "/api/v1/namespaces/default/secrets";
    for (const [level, inRequest, inResponse] of [
      ["Metadata", false, false],
      ["Request", true, false],
      ["RequestResponse", true, true],
    ] as const) {
      await using audited = await startAudited(`rules: [{ level: ${level} }]`);
      await audited.server.post(path, secret);
      const [, complete] = audited.file.events;
      expect(audited.file.text.includes("c2VjcmV0")).toBe(inRequest);
      expect(complete.requestObject !== undefined).toBe(inRequest);
      expect(complete.responseObject?.metadata.uid !== undefined).toBe(inResponse);
    }
  });

  test("a request is recorded as it was sent, without defaults", async () => {
    await using audited = await startAudited(everything);
    await audited.server.post(podsPath, aPod("web"));
    await audited.server.patch(`${podsPath}/web`, { metadata: { labels: { a: "b" } } });
    await audited.server.get(podsPath);
    const [created, patched, listed] = audited.file.events.filter(({ stage }) => stage === "ResponseComplete");
    expect(created.requestObject).toEqual(aPod("web"));
    expect(created.responseObject.spec.restartPolicy).toBe("Always");
    expect(patched.requestObject).toEqual({ metadata: { labels: { a: "b" } } });
    expect(listed.responseObject.items).toHaveLength(1);
  });

  test("a response in protobuf is recorded as JSON", async () => {
    await using audited = await startAudited(everything);
    const headers = { accept: "application/vnd.kubernetes.protobuf" };
    await audited.server.post(podsPath, aPod("web"), { headers });
    await audited.server.get(`${podsPath}/none`, { headers });
    const [created, refused] = audited.file.events.filter(({ stage }) => stage === "ResponseComplete");
    expect(created.responseObject.metadata.name).toBe("web");
    expect(refused.responseStatus).toMatchObject({ reason: "NotFound", code: 404 });
  });

  test("managed fields are omitted where the policy specifies it", async () => {
    await using audited = await startAudited(`omitManagedFields: true\n${everything}`);
    await audited.server.post(podsPath, aPod("web"));
    await audited.server.get(podsPath);
    expect(audited.file.text).toContain('"kind":"PodList"');
    expect(audited.file.text).not.toContain("managedFields");
  });

  test("a streamed list is recorded when it has been read; a list over 10 MiB is omitted", async () => {
    await using audited = await startAudited(
      "omitStages: [RequestReceived]\nrules: [{ level: RequestResponse, verbs: [list] }]",
    );
    const { server, file } = audited;
    const big = (name: string) => ({ metadata: { name }, data: { text: "x".repeat(700_000) } });
    const path = "/api/v1/namespaces/default/configmaps";
    await Promise.all(["a", "b"].map((name) => server.post(path, big(name))));
    await server.get(path);
    expect(file.events[0].responseObject.items).toHaveLength(2);
    await Promise.all(Array.from({ length: 15 }, (_, i) => server.post(path, big(`more-${i}`))));
    await server.get(path);
    expect(file.events[1]).toMatchObject({
      stage: "ResponseComplete",
      annotations: { "audit.k8s.io/truncated": "true" },
    });
    expect(file.events[1].responseObject).toBeUndefined();
  });
});

test("annotations of webhooks are recorded under the webhook's name", async () => {
  const webhooks = new FakeWebhooks({ "/see": () => ({ allowed: true, auditAnnotations: { seen: "yes" } }) });
  await using audited = await startAudited("rules: [{ level: Metadata }]", {}, { webhookTransport: webhooks });
  const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  await audited.server.post(configurations, aConfiguration("Validating", "all", { see: {} }));
  await audited.server.post(podsPath, aPod("web"));
  expect(audited.file.events.at(-1).annotations).toMatchObject({ "see.example.com/seen": "yes" });
});

test.each(["Metadata", "Request"])("webhook calls are recorded by round and index, from %s on", async (level) => {
  const webhooks = new FakeWebhooks({
    "/see": () => ({ allowed: true }),
    "/label": () => patching({ op: "add", path: "/metadata/labels", value: { a: "1" } }),
  });
  await using audited = await startAudited(`rules: [{ level: ${level} }]`, {}, { webhookTransport: webhooks });
  const { server, file } = audited;
  const ignored = { failurePolicy: "Ignore" };
  const mutating = { see: { reinvocationPolicy: "IfNeeded" }, gone: ignored, label: {} };
  await server.post(configurationsPath.Mutating, aConfiguration("Mutating", "all", mutating));
  await server.post(configurationsPath.Validating, aConfiguration("Validating", "last", { gone: ignored }));
  await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } });
  const mutation = (name: string, mutated: boolean) =>
    JSON.stringify({ configuration: "all", webhook: `${name}.example.com`, mutated });
  const patch = [{ op: "add", path: "/metadata/labels", value: { a: "1" } }];
  const patched = { configuration: "all", webhook: "label.example.com", patch, patchType: "JSONPatch" };
  const { annotations } = file.events.at(-1);
  expect(Object.fromEntries(Object.entries(annotations).filter(([key]) => key.includes("webhook.")))).toEqual({
    "mutation.webhook.admission.k8s.io/round_0_index_0": mutation("see", false),
    "mutation.webhook.admission.k8s.io/round_0_index_1": mutation("gone", false),
    "failed-open.mutation.webhook.admission.k8s.io/round_0_index_1": "gone.example.com",
    "mutation.webhook.admission.k8s.io/round_0_index_2": mutation("label", true),
    ...(level === "Metadata" ? {} : { "patch.webhook.admission.k8s.io/round_0_index_2": JSON.stringify(patched) }),
    "mutation.webhook.admission.k8s.io/round_1_index_0": mutation("see", false),
    "failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "gone.example.com",
  });
});

describe("the end of requests", () => {
  test("a refusal is recorded with its reason and the refused caller", async () => {
    await using audited = await startAudited("rules: [{ level: Metadata }]");
    await audited.server.get(`${podsPath}/web`, { user: alice });
    expect(audited.file.events[1]).toMatchObject({
      user: { username: "alice", groups: ["dev", "system:authenticated"] },
      responseStatus: { status: "Failure", reason: "Forbidden", code: 403, details: { name: "web", kind: "pods" } },
      annotations: { "authorization.k8s.io/decision": "forbid" },
    });
  });

  test("an unauthenticated caller is recorded, with the attempted credentials", async () => {
    await using audited = await startAudited("rules: [{ level: Metadata }]");
    const headers = { authorization: "Bearer wrong" };
    const answer = await audited.server.get(podsPath, { user: undefined, headers });
    expect(answer.status).toBe(401);
    expect(audited.file.events).toMatchObject([
      {
        stage: "ResponseStarted",
        user: {},
        responseStatus: { message: "Authentication failed, attempted: bearer", code: 401 },
      },
    ]);
    expect(audited.file.text).not.toContain("wrong");
  });

  test("an impersonating caller is recorded with both identities", async () => {
    await using audited = await startAudited("rules: [{ level: Metadata }]");
    await audited.server.get(podsPath, { headers: { "impersonate-user": "bob" } });
    expect(audited.file.events[1]).toMatchObject({
      user: { username: "admin" },
      impersonatedUser: { username: "bob", groups: ["system:authenticated"] },
    });
  });

  test("a watch is recorded when it starts, and when it ends", async () => {
    await using audited = await startAudited("rules: [{ level: RequestResponse }]");
    const watch = await audited.server.watch(`${podsPath}?watch=1`);
    await audited.server.post(podsPath, aPod("web"));
    await watch.next();
    const stages = () => audited.file.events.filter(({ verb }) => verb === "watch").map(({ stage }) => stage);
    expect(stages()).toEqual(["RequestReceived", "ResponseStarted"]);
    watch.stop();
    while ((await watch.next()) !== undefined);
    expect(stages()).toEqual(["RequestReceived", "ResponseStarted", "ResponseComplete"]);
    expect(audited.file.events.find(({ verb }) => verb === "watch").responseObject).toBeUndefined();
  });

  test("a fault of the server is recorded as the stage Panic", async () => {
    await using audited = await startAudited("rules: [{ level: Metadata }]");
    audited.server.store.list = () => {
      throw new Error("planted");
    };
    expect((await audited.server.get(podsPath)).status).toBe(500);
    expect(audited.file.events[1]).toMatchObject({
      stage: "Panic",
      responseStatus: { message: "APIServer panic'd: planted", code: 500 },
    });
  });
});

describe("the log", () => {
  test("a response waits until its event is recorded; in batch mode it does not wait", async () => {
    for (const mode of ["blocking", "batch"] as const) {
      await using audited = await startAudited("rules: [{ level: Metadata }]", { mode });
      let open = () => {};
      audited.file.gate = new Promise((resolve) => (open = resolve));
      let answered = false;
      const request = audited.server.get(podsPath).then(() => (answered = true));
      await audited.server.clock.advance(1);
      expect(answered).toBe(mode === "batch");
      open();
      await request;
      await audited.auditor.close();
      expect(audited.file.events).toHaveLength(2);
    }
  });

  test("if the log cannot be written, requests are rejected only in strict mode", async () => {
    for (const [mode, status] of [
      ["blocking", 200],
      ["blocking-strict", 500],
    ] as const) {
      await using audited = await startAudited("rules: [{ level: Metadata }]", { mode });
      audited.file.failure = new Error("ENOSPC");
      expect((await audited.server.get(podsPath)).status).toBe(status);
    }
  });

  test("events that exceed the batch buffer are lost, and no request waits", async () => {
    await using audited = await startAudited("omitStages: [RequestReceived]\nrules: [{ level: Metadata }]", {
      mode: "batch",
      waitingEventsMax: 3,
    });
    let open = () => {};
    audited.file.gate = new Promise((resolve) => (open = resolve));
    for (let i = 0; i < 10; i++) expect((await audited.server.get(podsPath)).status).toBe(200);
    open();
    await audited.auditor.close();
    // One event is being written while three wait.
    expect(audited.file.events).toHaveLength(4);
  });

  test("requests that the policy excludes leave neither an event nor a header", async () => {
    await using audited = await startAudited("rules: [{ level: None }]");
    const answer = await audited.server.get(podsPath);
    expect([answer.headers["audit-id"], audited.file.text]).toEqual([undefined, ""]);
  });

  test("a client may set its request's audit ID, in a form that is safe for a log", async () => {
    await using audited = await startAudited("rules: [{ level: Metadata }]");
    const named = await audited.server.get(podsPath, { headers: { "audit-id": "mine-1" } });
    expect(named.headers["audit-id"]).toBe("mine-1");
    const odd = await audited.server.get(podsPath, { headers: { "audit-id": "x".repeat(65) } });
    expect(odd.headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test("the Pod Security Standards record their level and violations of the audit level", async () => {
  await using audited = await startAudited("rules: [{ level: Metadata }]");
  const { server, file } = audited;
  const labels = { "pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/audit": "restricted" };
  await server.patch("/api/v1/namespaces/default", { metadata: { labels } });
  const answer = await server.post(podsPath, aPod("web"));
  expect([answer.status, answer.headers["warning"]]).toEqual([201, undefined]);
  expect(file.events.at(-1).annotations).toMatchObject({
    "pod-security.kubernetes.io/enforce-policy": "baseline:latest",
    "pod-security.kubernetes.io/audit-violations": expect.stringMatching(
      /^would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false/,
    ),
  });
});
