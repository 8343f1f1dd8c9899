import { describe, expect, test } from "vitest";
import { aConfiguration, FakeWebhooks } from "../testing/fake-webhooks.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const fair = { priorityAndFairness: true };
const user = (name: string) => ({ name, groups: ["editors", "system:authenticated"] });
const node = { name: "system:node:n1", groups: ["system:nodes"] };

async function allowEditors(server: TestServer): Promise<void> {
  await server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "editors" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
    subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "editors" }],
  });
}

describe("the flow control objects", () => {
  test("of a server equal upstream's, and its responses name the objects of a request", async () => {
    await using server = await TestServer.start(fair);
    const schemas = await server.get(`${group}/flowschemas`);
    const levels = await server.get(`${group}/prioritylevelconfigurations`);
    expect([schemas.json.items.length, levels.json.items.length]).toEqual([13, 8]);
    const exempt = schemas.json.items.find(
      ({ metadata }: { metadata: { name: string } }) => metadata.name === "exempt",
    );
    expect(exempt.metadata.annotations).toEqual({ "apf.kubernetes.io/autoupdate-spec": "true" });
    expect(schemas.headers["x-kubernetes-pf-flowschema-uid"]).toBe(exempt.metadata.uid);
  });

  test.each([
    [
      "flowschemas",
      { metadata: { name: "x" }, spec: { priorityLevelConfiguration: { name: "" } } },
      "must reference a priority level",
    ],
    [
      "flowschemas",
      { metadata: { name: "x" }, spec: { priorityLevelConfiguration: { name: "a" }, matchingPrecedence: 1 } },
      "only the schema named 'exempt' may have matchingPrecedence 1",
    ],
    [
      "prioritylevelconfigurations",
      { metadata: { name: "x" }, spec: { type: "Exempt" } },
      "type must be 'Exempt' if and only if name is 'exempt'",
    ],
    [
      "prioritylevelconfigurations",
      {
        metadata: { name: "x" },
        spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: { queues: 1, handSize: 2 } } } },
      },
      "should not be greater than queues (1)",
    ],
    [
      "prioritylevelconfigurations",
      {
        metadata: { name: "x" },
        spec: {
          type: "Limited",
          limited: { limitResponse: { type: "Queue", queuing: { queues: 10_000, handSize: 8 } } },
        },
      },
      "required entropy bits",
    ],
    [
      "prioritylevelconfigurations",
      { metadata: { name: "x" }, spec: { type: "Limited", limited: { limitResponse: { type: "Wait" } } } },
      'supported values: "Queue", "Reject"',
    ],
  ])("%s %j: %s", async (resource, body, message) => {
    await using server = await TestServer.start(fair);
    const answer = await server.post(`${group}/${resource}`, body);
    expect([answer.status, answer.json.message]).toEqual([422, expect.stringContaining(message)]);
  });

  test("that are mandatory cannot be changed, and apply even if they are deleted", async () => {
    await using server = await TestServer.start(fair);
    const path = `${group}/flowschemas/catch-all`;
    const changed = await server.patch(path, { spec: { matchingPrecedence: 9000 } });
    expect(changed.json.message).toContain("spec of 'catch-all' must equal the fixed value");
    await server.delete(path);
    await server.delete(`${group}/flowschemas/global-default`);
    expect((await server.get("/version", { user: user("alice") })).status).toBe(200);
  });
});

describe("a noisy client", () => {
  /** Creates of pods wait a second for a webhook, so 20 seats are soon occupied. */
  async function startSlow() {
    const server: { current?: TestServer } = {};
    const slow = async () => {
      await server.current?.clock.sleep(1000);
      return { allowed: true };
    };
    const seats = { readsInFlightMax: 20, writesInFlightMax: 40 };
    const started = await TestServer.start(
      { ...fair, ...seats },
      { webhookTransport: new FakeWebhooks({ "/slow": slow }) },
    );
    server.current = started;
    await allowEditors(started);
    const pods = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }];
    const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    await started.post(configurations, aConfiguration("Validating", "slow", { slow: { rules: pods } }));
    return started;
  }

  test("starves neither another user nor Leases, and receives a Retry-After", async () => {
    await using server = await startSlow();
    const noisy = Array.from({ length: 400 }, (_, i) =>
      server.post(podsPath, aPod(`noisy-${i}`), { user: user("alice") }),
    );
    await server.clock.advance(1);
    const startMs = server.clock.monotonicMs();
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    const lease = { metadata: { name: "n1" }, spec: { holderIdentity: "n1", leaseDurationSeconds: 40 } };
    const renewed = server
      .post(leases, lease, { user: node })
      .then(({ status }) => [status, server.clock.monotonicMs() - startMs]);
    const bob = server
      .post(podsPath, aPod("bob"), { user: user("bob") })
      .then(({ status }) => [status, server.clock.monotonicMs() - startMs]);
    await server.clock.advance(20_000);
    expect(await renewed).toEqual([201, 0]);
    const [status, waitedMs = 0] = await bob;
    expect(status).toBe(201);
    // The request waits for at most two turns of the level and for the webhook's own second.
    expect(waitedMs).toBeLessThanOrEqual(3000);
    const answers = await Promise.all(noisy);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ headers: { "retry-after": "1" }, json: { reason: "TooManyRequests" } });
    expect(answers.filter((answer) => answer.status === 201).length).toBeGreaterThan(10);
  });

  test("returns every seat", async () => {
    await using server = await startSlow();
    for (let round = 0; round < 3; round++) {
      const all = Promise.all(
        Array.from({ length: 100 }, (_, i) => server.post(podsPath, aPod(`r${round}-${i}`), { user: user("alice") })),
      );
      await server.clock.advance(40_000);
      await all;
    }
    const list = await server.get(podsPath, { user: user("alice") });
    expect(list.status).toBe(200);
    const last = server.post(podsPath, aPod("last"), { user: user("alice") });
    await server.clock.advance(1001);
    expect((await last).status).toBe(201);
  });
});

test("a user's own schema and level apply from the moment they are written", async () => {
  await using server = await TestServer.start(fair);
  await allowEditors(server);
  await server.post(`${group}/prioritylevelconfigurations`, {
    metadata: { name: "none" },
    spec: {
      type: "Limited",
      limited: { nominalConcurrencyShares: 0, limitResponse: { type: "Reject" }, borrowingLimitPercent: 0 },
    },
  });
  const mine = await server.post(`${group}/flowschemas`, {
    metadata: { name: "alice" },
    spec: {
      priorityLevelConfiguration: { name: "none" },
      matchingPrecedence: 50,
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "alice" } }],
          resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }],
        },
      ],
    },
  });
  const refused = await server.get(podsPath, { user: user("alice") });
  expect([refused.status, refused.headers["x-kubernetes-pf-flowschema-uid"]]).toEqual([429, mine.json.metadata.uid]);
  expect((await server.get(podsPath, { user: user("bob") })).status).toBe(200);
  await server.delete(`${group}/flowschemas/alice`);
  expect((await server.get(podsPath, { user: user("alice") })).status).toBe(200);
});
