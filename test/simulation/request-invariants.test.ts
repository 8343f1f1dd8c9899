import { describe, expect, test } from "vitest";
import { aNode, aPod, aSet, openWorld } from "./planted-world.ts";

const controllers = "system:kube-controller-manager";
const pod = "/api/v1/namespaces/default/pods/a";

describe("preconditions-hold: a write that names a UID", () => {
  test("and changes another object of that name", async () => {
    const world = openWorld();
    const meant = { preconditions: { uid: "one" } };
    await world.granted({
      method: "DELETE",
      path: pod,
      user: controllers,
      body: meant,
      answer: { metadata: { uid: "one" } },
    });
    await world.granted({
      method: "DELETE",
      path: pod,
      user: controllers,
      body: meant,
      answer: { details: { uid: "one" } },
    });
    expect(world.invariants.violation).toBeUndefined();
    const body = { metadata: { uid: "one" } };
    await world.granted({
      method: "PATCH",
      path: `${pod}/status`,
      user: controllers,
      body,
      answer: { metadata: { uid: "two" } },
    });
    expect(world.found()).toEqual(["preconditions-hold", `PATCH ${pod}/status named one but changed two`]);
  });
});

describe("owned-objects-are-kept: the garbage collector", () => {
  const path = "/api/v1/namespaces/default/configmaps/a";
  const owned = { metadata: { uid: "a", ownerReferences: [{ uid: "set" }] } };
  const collect = { method: "DELETE", path, user: controllers, body: { preconditions: { resourceVersion: "7" } } };

  test("deletes an object that still has an owner", async () => {
    const world = openWorld();
    await world.putSet(aSet(1));
    await world.put("core/configmaps/default/a", owned);
    await world.granted(collect, () => world.remove("core/configmaps/default/a", owned));
    expect(world.found()).toEqual([
      "owned-objects-are-kept",
      `${path} was garbage-collected, although its owner apps/replicasets/default/web exists`,
    ]);
  });

  test("deletes an object without an owner, with an owner in another namespace, or before its owner", async () => {
    const lost = openWorld();
    await lost.put("core/configmaps/default/a", owned);
    await lost.granted(collect);
    expect(lost.invariants.violation).toBeUndefined();
    await lost.put("apps/replicasets/elsewhere/web", aSet(1));
    await lost.granted(collect);
    expect(lost.invariants.violation).toBeUndefined();
    const going = openWorld();
    await going.put("apps/replicasets/default/web", {
      metadata: { uid: "set", deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    await going.put("core/configmaps/default/a", owned);
    await going.granted(collect);
    expect(going.invariants.violation).toBeUndefined();
    expect(going.invariants.checksByName["owned-objects-are-kept"]).toBe(1);
  });

  test("is not responsible for deletions by other controllers", async () => {
    const world = openWorld();
    await world.putSet(aSet(0));
    await world.put("core/configmaps/default/a", owned);
    await world.granted({ ...collect, body: { preconditions: { uid: "a" } } });
    expect(world.invariants.violation).toBeUndefined();
  });
});

describe("nodes-write-their-own-objects: a node's identity", () => {
  const user = "system:node:n1";
  const nodesOwn = [
    ["POST", "/api/v1/nodes", { metadata: { name: "n1" } }],
    ["PATCH", "/api/v1/nodes/n1/status", {}],
    ["PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1", {}],
    ["PATCH", `${pod}/status`, {}],
    ["DELETE", pod, { gracePeriodSeconds: 0 }],
    ["POST", "/api/v1/namespaces/default/events", {}],
    ["PUT", "/api/v1/namespaces/default/persistentvolumeclaims/of-a/status", {}],
  ] as const;
  const notItsOwn = [
    ["PUT", "/api/v1/namespaces/default/persistentvolumeclaims/of-a", {}],
    ["PUT", "/api/v1/namespaces/default/persistentvolumeclaims/of-b/status", {}],
    ["PUT", "/api/v1/namespaces/other/persistentvolumeclaims/of-a/status", {}],
    ["POST", "/api/v1/nodes", { metadata: { name: "n2" } }],
    ["PATCH", "/api/v1/nodes/n2/status", {}],
    ["DELETE", "/api/v1/nodes/n1", {}],
    ["PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2", {}],
    ["PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/n1", {}],
    ["PATCH", "/api/v1/namespaces/default/pods/b/status", {}],
    ["POST", "/api/v1/namespaces/default/pods", { spec: { nodeName: "n2" } }],
    ["PUT", "/apis/apps/v1/namespaces/default/replicasets/web", {}],
  ] as const;

  async function aWorldWithTwoNodes() {
    const world = openWorld();
    for (const node of ["n1", "n2"]) await world.putNode(aNode(node));
    const using = (claimName: string) => ({ volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] });
    const [a, b] = [aPod("a", { nodeName: "n1" }), aPod("b", { nodeName: "n2" })];
    await world.putPod({ ...a, spec: { ...a.spec, ...using("of-a") } } as typeof a);
    await world.putPod({ ...b, spec: { ...b.spec, ...using("of-b") } } as typeof b);
    return world;
  }

  test.each(nodesOwn)("is granted %s %s", async (method, path, body) => {
    const world = await aWorldWithTwoNodes();
    await world.granted({ method, path, user, body });
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checksByName["nodes-write-their-own-objects"]).toBe(1);
  });

  test.each(notItsOwn)("must not be granted %s %s", async (method, path, body) => {
    const world = await aWorldWithTwoNodes();
    await world.granted({ method, path, user, body });
    expect(world.found()).toEqual(["nodes-write-their-own-objects", `${user} was granted ${method} ${path}`]);
  });
});

describe("nodes-read-their-own-objects: the reads of a node", () => {
  const user = "system:node:n1";
  const secret = "/api/v1/namespaces/default/secrets";
  const theirs = [
    "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&watch=true",
    "/api/v1/namespaces/default/pods/a",
    "/api/v1/namespaces/default/pods/gone",
    `${secret}/used`,
    `${secret}?fieldSelector=metadata.name%3Dused&watch=true`,
    "/api/v1/namespaces/default/configmaps/settings",
  ];
  const notTheirs = [
    "/api/v1/pods",
    "/api/v1/pods?fieldSelector=spec.nodeName%3Dn2",
    "/api/v1/namespaces/default/pods/b",
    secret,
    `${secret}/other`,
    "/api/v1/namespaces/elsewhere/secrets/used",
    "/api/v1/configmaps",
  ];

  async function aWorldWithVolumes() {
    const world = openWorld();
    for (const node of ["n1", "n2"]) await world.putNode(aNode(node));
    const volumes = [
      { name: "s", secret: { secretName: "used" } },
      { name: "c", configMap: { name: "settings" } },
    ];
    await world.putPod(aPod("a", { nodeName: "n1", spec: { volumes } }));
    await world.putPod(
      aPod("b", { nodeName: "n2", spec: { volumes: [{ name: "s", secret: { secretName: "other" } }] } }),
    );
    return world;
  }

  test.each(theirs)("is granted GET %s", async (path) => {
    const world = await aWorldWithVolumes();
    if (path.includes("watch=true")) world.watched({ path, user });
    else await world.granted({ method: "GET", path, user });
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checksByName["nodes-read-their-own-objects"]).toBe(1);
  });

  test.each(notTheirs)("must not be granted GET %s", async (path) => {
    const world = await aWorldWithVolumes();
    await world.granted({ method: "GET", path, user });
    expect(world.found()).toEqual(["nodes-read-their-own-objects", `n1 was granted GET ${path}`]);
  });

  test("may be granted GET of a pod that was just removed from it", async () => {
    const world = await aWorldWithVolumes();
    await world.removePod(
      aPod("a", { nodeName: "n1", spec: { volumes: [{ name: "s", secret: { secretName: "used" } }] } }),
    );
    await world.live(10_000);
    await world.granted({ method: "GET", path: `${secret}/used`, user });
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20_000);
    await world.granted({ method: "GET", path: `${secret}/used`, user });
    expect(world.found()[0]).toBe("nodes-read-their-own-objects");
  });
});

describe("secrets-are-confidential: the contents of a Secret", () => {
  const password = "correct horse battery staple";
  const encodedPassword = Buffer.from(password).toString("base64");

  async function aWorldWithASecret() {
    const world = openWorld();
    await world.put("core/secrets/default/s", {
      metadata: { uid: "s" },
      data: { password: encodedPassword, short: "YQ==" },
    });
    return world;
  }

  test("are in the Secret, and messages do not reveal them", async () => {
    const world = await aWorldWithASecret();
    await world.put("core/configmaps/default/c", { metadata: { uid: "c" }, data: { a: "YQ==" } });
    world.says("bus", "core/secrets/default/s@7");
    world.says("log", "mounted secret default/s");
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checksByName["secrets-are-confidential"]).toBe(3);
  });

  test.each(["bus", "log"] as const)("must not be in messages to the %s", async (where) => {
    const named = where === "bus" ? "a message on the bus" : "a line of a log";
    for (const text of [`{"password":"${encodedPassword}"}`, `login with ${password} failed`]) {
      const world = await aWorldWithASecret();
      world.says(where, text);
      expect(world.found()).toEqual(["secrets-are-confidential", `the value of core/secrets/default/s is in ${named}`]);
    }
  });

  test("must not be in another object", async () => {
    const world = await aWorldWithASecret();
    await world.put("core/events/default/e", { metadata: { uid: "e" }, message: `cannot log in with ${password}` });
    expect(world.found()).toEqual([
      "secrets-are-confidential",
      "the value of core/secrets/default/s is in core/events/default/e",
    ]);
  });
});

describe("state-is-bounded: the state for clients", () => {
  test("includes many concurrent requests and watches, up to the limit", async () => {
    const world = openWorld();
    const path = "/api/v1/namespaces/default/pods/a";
    const hang = () => void world.granted({ method: "GET", path, user: "admin" }, () => new Promise(() => {}));
    for (let i = 0; i < 600; i++) hang();
    for (let i = 0; i < 200; i++) world.watched({ path: "/api/v1/pods?watch=true", user: "a" })?.awaited();
    for (let i = 0; i < 10; i++) world.watched({ path: "/api/v1/pods?watch=true", user: "a" });
    world.levels.push({ owner: "controller-manager", name: "node", value: 200 });
    await world.live(4000);
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checksByName["state-is-bounded"]).toBeGreaterThan(2);
    hang();
    await world.live(4000);
    expect(world.found()).toEqual(["state-is-bounded", "the api-server has 601 requests in flight"]);
  });

  test("includes one watch or one key beyond the limit", async () => {
    const watched = openWorld();
    for (let i = 0; i <= 200; i++) watched.watched({ path: "/api/v1/pods?watch=true", user: "a" })?.awaited();
    await watched.live(4000);
    expect(watched.found()).toEqual(["state-is-bounded", "a has 201 open watches"]);
    const queued = openWorld();
    queued.levels.push({ owner: "controller-manager", name: "node", value: 201 });
    await queued.live(4000);
    expect(queued.found()).toEqual([
      "state-is-bounded",
      "the queue node of controller-manager has 201 keys for 0 objects",
    ]);
  });
});
