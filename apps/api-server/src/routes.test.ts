import { builtInKinds, silentMetrics, tokenReviews, usageKinds } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { MemoryStore } from "@kintsugi/store/simulated";
import { describe, expect, test } from "vitest";
import { createAggregation } from "./aggregation/aggregation.ts";
import { builtInRoutes } from "./built-in-routes.ts";
import { createReadiness } from "./health/readiness.ts";
import { createRegistry } from "./resources/registry.ts";
import { defaultServerOptions } from "./server-options.ts";
import type { ServerContext } from "./server-context.ts";
import { createSubresources } from "./subresources/subresource-table.ts";
import { TestServer } from "./testing/test-server.ts";
import type { Journal } from "./timeline/journal.ts";
import type { UsageScraper } from "./usage/usage-scraper.ts";

/** One route of the server, as the property below walks it. */
interface Route {
  group: string;
  root: string;
  resource: string;
  namespaced: boolean;
  subresource: string;
}

const registry = createRegistry([...builtInKinds, ...usageKinds], createSubresources({}));

/**
 * Lists every route that names a resource: stored kinds, their subresources, and kinds that are
 * answered without storage.
 */
function allRoutes(): Route[] {
  // The table only names the routes here; its handlers are not called.
  const context = {
    registry,
    store: new MemoryStore({ clock: new VirtualClock() }),
    options: defaultServerOptions,
  } as unknown as ServerContext;
  const { resources } = builtInRoutes({
    context,
    metrics: silentMetrics,
    journal: {} as Journal,
    aggregation: createAggregation({
      context,
      clock: new VirtualClock(),
      metrics: silentMetrics,
      dialer: undefined,
      frontProxy: undefined,
    }),
    readiness: createReadiness(),
    scraper: {} as UsageScraper,
    issuer: undefined,
    busCredentials: undefined,
    exposition: undefined,
    dashboard: undefined,
    others: [],
    storedValues: undefined,
    prepareMetrics: () => Promise.resolve(),
  });
  const stored = registry.resources.flatMap(({ type, kind }) =>
    ["", ...kind.subresources].map((subresource) => ({ ...type, subresource })),
  );
  const builtIn = resources.map(({ type }) => ({ ...type, subresource: "" }));
  return [...stored, ...builtIn].map(({ group, version, resource, namespaced, subresource }) => {
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    return { group, root, resource, namespaced, subresource };
  });
}

const requests = ["GET", "GET?watch=1", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

const verbOf: Readonly<Record<string, string>> = {
  GET: "get",
  "GET?watch=1": "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const verbOfCollection: Readonly<Record<string, string>> = {
  ...verbOf,
  GET: "list",
  "GET?watch=1": "watch",
  HEAD: "list",
  DELETE: "deletecollection",
};

interface Step {
  method: string;
  path: string;
  below: boolean;
  name: string;
  request: string;
}

/**
 * The route below every prefix, with every method, with and without a name where a name is
 * possible.
 */
function stepsOf({ root, resource, subresource }: Route): Step[] {
  const prefixes = [
    { prefix: root, below: false },
    { prefix: `${root}/namespaces/alpha`, below: true },
    { prefix: `${root}/namespaces/beta/namespaces/alpha`, below: true },
    { prefix: `${root}/namespaces/alpha/namespaces/alpha`, below: true },
  ];
  return prefixes.flatMap(({ prefix, below }) =>
    (subresource === "" ? ["", "alpha"] : ["alpha"]).flatMap((name) =>
      requests.map((request) => {
        const [method = "", query] = request.split("?");
        const path = [prefix, resource, name, subresource].filter((part) => part !== "").join("/");
        return { method, request, below, name, path: query === undefined ? path : `${path}?${query}` };
      }),
    ),
  );
}

/** Reports whether the path matches the route, by its scope. */
function belongs({ namespaced }: Route, { below, path, name, request }: Step): boolean {
  if (path.includes("/namespaces/beta/") || path.includes("/namespaces/alpha/namespaces/alpha")) return false;
  if (!namespaced) return !below;
  return below || (name === "" && ["list", "watch"].includes(verbOfCollection[request] ?? ""));
}

const aliceIsAdminOfAlpha = {
  metadata: { name: "alice" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" }],
};
const alice = { name: "alice", groups: [] };
const noRights = { name: "bob", groups: [] };

async function startServer(): Promise<TestServer> {
  const server = await TestServer.start();
  for (const name of ["alpha", "beta"]) await server.post("/api/v1/namespaces", { metadata: { name } });
  const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/alpha/rolebindings";
  expect((await server.post(bindings, aliceIsAdminOfAlpha)).status).toBe(201);
  return server;
}

/**
 * Only the status and, for an error, its text, because lists and snapshots are streams of any
 * length.
 */
async function ask(server: TestServer, step: Step, user?: { name: string; groups: string[] }) {
  const stop = new AbortController();
  const writes = ["POST", "PUT", "PATCH"].includes(step.method);
  const response = await server.send(step.method, step.path, {
    ...(user === undefined ? {} : { user }),
    ...(writes ? { body: {} } : {}),
    signal: stop.signal,
  });
  const text = response.status >= 400 ? Buffer.from(response.body as Uint8Array).toString() : "";
  stop.abort();
  const message = text.startsWith("{") ? (JSON.parse(text) as { message: string }).message : text;
  return { status: response.status, message };
}

const noSuchPath = "the server could not find the requested resource";
const outOfScope = [
  { status: 404, message: noSuchPath },
  { status: 405, message: "the server does not allow this method on the requested resource" },
  { status: 400, message: "an empty namespace may not be set during creation" },
];

const routes = allRoutes();
/** Every authenticated user may send these reviews about itself. */
const aboutOneself = /^self/;

describe("a route belongs to one scope", () => {
  test("and the tests below visit every route", () => {
    expect(routes.length).toBeGreaterThan(50);
    expect(routes.map(({ resource }) => resource)).toEqual(
      expect.arrayContaining(["pods", "namespaces", "snapshot", "timeline", "bindings", tokenReviews.resource]),
    );
  });

  test.each(routes)(
    "$root $resource $subresource: other paths do not exist, not even for an administrator",
    async (route) => {
      await using server = await startServer();
      for (const step of stepsOf(route).filter((each) => !belongs(route, each))) {
        const answer = await ask(server, step);
        expect(outOfScope, `${step.request} ${step.path}`).toContainEqual(answer);
      }
    },
  );

  test.each(routes)(
    "$root $resource $subresource: an administrator of one namespace is restricted to it",
    async (route) => {
      await using server = await startServer();
      const isOwnNamespace = route.group === "" && route.resource === "namespaces";
      for (const step of stepsOf(route)) {
        const { status, message } = await ask(server, step, alice);
        const own = belongs(route, step) && (step.below || (isOwnNamespace && step.name === "alpha"));
        if (own || aboutOneself.test(route.resource)) continue;
        const refused = status === 403 || outOfScope.some((known) => known.message === message);
        expect(refused, `${step.request} ${step.path}: ${status} ${message}`).toBe(true);
      }
    },
  );

  test.each(routes)("$root $resource $subresource: the authorizer is queried for exactly this route", async (route) => {
    if (aboutOneself.test(route.resource)) return;
    await using server = await startServer();
    for (const step of stepsOf(route).filter((each) => belongs(route, each))) {
      const verb = (step.name === "" ? verbOfCollection : verbOf)[step.request];
      const what = route.subresource === "" ? route.resource : `${route.resource}/${route.subresource}`;
      const isNamespaceItself = route.resource === "namespaces" && route.group === "" && step.name !== "";
      const where = step.below || isNamespaceItself ? 'in the namespace "alpha"' : "at the cluster scope";
      const { message } = await ask(server, step, noRights);
      expect(message, `${step.request} ${step.path}`).toContain(
        `User "bob" cannot ${verb} resource "${what}" in API group "${route.group}" ${where}`,
      );
    }
  });
});

describe("an administrator of one namespace", () => {
  test.each([
    ["GET", "/apis/kintsugi.dev/v1alpha1/namespaces/alpha/snapshot"],
    ["GET", "/apis/kintsugi.dev/v1alpha1/namespaces/alpha/timeline"],
    ["POST", "/apis/authentication.k8s.io/v1/namespaces/alpha/tokenreviews"],
    ["POST", "/apis/authorization.k8s.io/v1/namespaces/alpha/subjectaccessreviews"],
    ["GET", "/api/v1/namespaces/alpha/namespaces/beta"],
    ["DELETE", "/api/v1/namespaces/alpha/namespaces/beta"],
    ["GET", "/api/v1/namespaces/alpha/namespaces"],
  ])("receives no cluster-wide object through %s %s", async (method, path) => {
    await using server = await startServer();
    const answer = await server.call(method, path, { user: alice, ...(method === "POST" ? { body: {} } : {}) });
    expect(answer).toMatchObject({ status: 404, json: { message: noSuchPath } });
    expect((await server.get("/api/v1/namespaces/beta")).json.status.phase).toBe("Active");
  });

  test("still reads and deletes the Namespace itself", async () => {
    await using server = await startServer();
    expect((await server.get("/api/v1/namespaces/alpha", { user: alice })).status).toBe(200);
    expect((await server.delete("/api/v1/namespaces/alpha", undefined, { user: alice })).status).toBe(200);
    expect((await server.get("/api/v1/namespaces/beta", { user: alice })).status).toBe(403);
  });
});

test.each([
  ["PUT", "/api/v1/namespaces/alpha/configmaps"],
  ["PATCH", "/api/v1/namespaces/alpha/configmaps"],
  ["PATCH", "/apis/networking.k8s.io/v1/namespaces/alpha/ingresses?fieldManager=m"],
  ["PUT", "/api/v1/nodes"],
  ["POST", "/api/v1/namespaces/alpha/configmaps/a"],
])("%s %s is a method that the path does not support", async (method, path) => {
  await using server = await startServer();
  expect(await server.call(method, path, { body: {} })).toMatchObject({
    status: 405,
    json: { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" },
  });
});
