import type { EndpointSlice, Ingress, Service } from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aClass, anIngress, aRule, aService, aSlice } from "../testing/builders.ts";
import { ownedIngresses } from "./owned-ingresses.ts";
import { type ObservedRoutes, type PlannedRoutes, planRoutes } from "./plan-routes.ts";
import type { Backend, RoutePlan, RouteTable } from "./route-plan.ts";

// The controller only writes the status of Ingresses, so its guarantees are those of its plan, for
// any Ingresses of two tenants, with their Services, endpoints and mistakes:
//
//   own       a route leads only to ready endpoints of its own namespace
//   first     a host and path belong to the oldest Ingress that names them, even if its Service
//             is missing: requests then get 503 and do not reach another tenant's backend
//   apart     a younger Ingress changes no route of an older Ingress

interface Claim {
  readonly path: string;
  readonly service: string;
}

interface Asked {
  readonly namespace: string;
  readonly host: string;
  readonly claims: readonly Claim[];
}

interface World {
  /** The oldest first. */
  readonly asked: readonly Asked[];
  /** The readiness of the endpoint of each Service, by "namespace/service". */
  readonly ready: Readonly<Record<string, boolean>>;
}

type Planner = (observed: ObservedRoutes) => PlannedRoutes;

const namespaces = ["a", "b"];
const services = ["web", "api"];
const addressOf = (namespace: string, service: string) =>
  `10.${namespaces.indexOf(namespace) + 1}.0.${services.indexOf(service) + 1}`;

const worlds: fc.Arbitrary<World> = fc.record({
  asked: fc.array(
    fc.record({
      namespace: fc.constantFrom(...namespaces),
      host: fc.constantFrom("one.example", "*.example", ""),
      claims: fc.array(
        fc.record({
          path: fc.constantFrom("/", "/shop", "/shop/", "=/shop", "/shop/cart"),
          // The last two backends do not exist: one has a missing Service, and the other a missing
          // port.
          service: fc.constantFrom("web:80", "api:http", "ghost:80", "web:81"),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 5 },
  ),
  ready: fc.record({ "a/web": fc.boolean(), "a/api": fc.boolean(), "b/web": fc.boolean(), "b/api": fc.boolean() }),
});

function observe({ asked, ready }: World): ObservedRoutes {
  const ingresses = asked.map(({ namespace, host, claims }, age): Ingress => {
    const rule = aRule(host === "" ? undefined : host, {});
    // One path may be named twice, so the rule is not made from an object.
    const paths = claims.flatMap(({ path, service }) => aRule(host, { [path]: service }).http?.paths ?? []);
    const creationTimestamp = `2026-01-01T00:00:0${age}Z`;
    return anIngress(`i${age}`, { rules: [{ ...rule, http: { paths } }] }, { namespace, creationTimestamp });
  });
  return {
    ingresses: ownedIngresses(ingresses, [aClass()]),
    findService: (namespace, name): Service | undefined =>
      services.includes(name) ? { ...aService(name), metadata: { name, namespace } } : undefined,
    slicesOf: (namespace, name): EndpointSlice[] => [
      aSlice(name, { [addressOf(namespace, name)]: ready[`${namespace}/${name}`] === true }),
    ],
    findSecret: () => undefined,
    checkCertificate: () => ({ because: "there are none" }),
  };
}

/** The route of a claim in a plan, including "unavailable"; undefined where there is none. */
function routeOf({ tables }: RoutePlan, host: string, path: string): string | undefined {
  const table = tables.find((each) => each.host === host);
  return path.startsWith("=") ? table?.exact.get(path.slice(1)) : table?.prefixes.get(keyOf(path));
}

const keyOf = (path: string) => `${path.replace(/\/$/, "")}/`;

function brokenPromises(world: World, planner: Planner): string[] {
  const { plan } = planner(observe(world));
  const broken: string[] = [];
  const backends = new Map(plan.backends.map((backend) => [backend.name, backend]));
  const claimed = new Set<string>();
  for (const [age, { namespace, host, claims }] of world.asked.entries()) {
    const earlier = planner(observe({ ...world, asked: world.asked.slice(0, age + 1) })).plan;
    for (const { path, service } of claims) {
      const [name = "", port] = service.split(":");
      const key = `${host} ${path.startsWith("=") ? path : keyOf(path)}`;
      const isFirst = !claimed.has(key);
      claimed.add(key);
      const route = routeOf(plan, host, path);
      if (route !== routeOf(earlier, host, path)) broken.push(`apart: ${key} changed its way`);
      if (!isFirst) continue;
      const exists = services.includes(name) && port !== "81";
      const wanted = exists ? `${namespace}:${name}:80` : "unavailable";
      if (route !== wanted) broken.push(`first: ${key} leads to ${route}, not ${wanted}`);
      const servers = backends.get(wanted)?.servers.map(({ address }) => address);
      const isReady = world.ready[`${namespace}/${name}`] === true;
      const own = exists && isReady ? [addressOf(namespace, name)] : [];
      if (JSON.stringify(servers) !== JSON.stringify(own))
        broken.push(`own: ${key} is served by ${servers?.join(" ")}`);
    }
  }
  return broken;
}

const judge = (planner: Planner) =>
  fc.check(
    fc.property(
      worlds,
      withinLimits((world) => brokenPromises(world, planner).length === 0),
    ),
    { numRuns: 400, seed: 26 },
  );

test("routes lead to their own tenant's ready endpoints, and belong to the oldest Ingress that requests them", () => {
  const { failed, counterexample } = judge(planRoutes);
  expect(failed ? counterexample : undefined).toBeUndefined();
});

const withTables = (planned: PlannedRoutes, change: (table: RouteTable) => RouteTable): PlannedRoutes => ({
  ...planned,
  plan: { ...planned.plan, tables: planned.plan.tables.map(change) },
});
const withBackends = (planned: PlannedRoutes, change: (backend: Backend) => Backend): PlannedRoutes => ({
  ...planned,
  plan: { ...planned.plan, backends: planned.plan.backends.map(change) },
});
const without = (routes: ReadonlyMap<string, string>, isGone: (backend: string) => boolean) =>
  new Map([...routes].filter(([, backend]) => !isGone(backend)));

const plantedBugs: Readonly<Record<string, Planner>> = {
  "the youngest Ingress has a path": (observed) =>
    planRoutes({ ...observed, ingresses: observed.ingresses.toReversed() }),
  "endpoints count that are not ready": (observed) =>
    planRoutes({
      ...observed,
      slicesOf: (namespace, name) => [aSlice(name, { [addressOf(namespace, name)]: true })],
    }),
  "a Service is looked for in every namespace": (observed) =>
    planRoutes({ ...observed, slicesOf: (_namespace, name) => observed.slicesOf("a", name) }),
  "a route without a Service is left out": (observed) =>
    withTables(planRoutes(observed), (table) => ({
      ...table,
      exact: without(table.exact, (backend) => backend === "unavailable"),
      prefixes: without(table.prefixes, (backend) => backend === "unavailable"),
    })),
  "a fault takes the whole host away": (observed) => {
    const planned = planRoutes(observed);
    if (planned.problems.every(({ reason }) => reason !== "ServiceNotFound")) return planned;
    return withTables(planned, (table) => ({ ...table, exact: new Map(), prefixes: new Map() }));
  },
  "a missing port leads to the first one": (observed) =>
    withTables(planRoutes(observed), (table) => ({
      ...table,
      prefixes: new Map([...table.prefixes].map(([path, name]) => [path, name === "unavailable" ? "a:web:80" : name])),
    })),
  "a backend keeps the endpoints of another": (observed) =>
    withBackends(planRoutes(observed), (backend) => ({
      ...backend,
      servers: backend.servers.map((server) => ({ ...server, address: server.address.replace("10.2", "10.1") })),
    })),
};

describe("the check detects that", () => {
  test.each(Object.entries(plantedBugs))("%s", (_name, planner) => {
    expect(judge(planner).failed).toBe(true);
  });
});
