import type { CloudProvider } from "@kintsugi/cloud";
import type { FakeLabCloud } from "@kintsugi/cloud/simulated";
import { CloudRun, type RunBugs } from "./cloud-run.ts";

/** The cloud with some calls replaced; the methods of a class are not enumerable. */
function changed(cloud: FakeLabCloud, calls: Partial<CloudProvider>): CloudProvider {
  return new Proxy<CloudProvider>(cloud, {
    get: (target, name) => calls[name as keyof CloudProvider] ?? target[name as keyof CloudProvider],
  });
}

/** A planted bug: its name, the check that finds it, and its place. */
export type CloudBug = readonly [name: string, found: string, bugs: RunBugs];

export const cloudBugs: readonly CloudBug[] = [
  [
    "machines that are to come do not count as room",
    "orders",
    {
      cloud: (cloud) =>
        changed(cloud, {
          listNodeGroups: async () => {
            const { groups } = await cloud.listNodeGroups();
            return { groups: groups.map((group) => ({ ...group, machines: [] })) };
          },
        }),
    },
  ],
  ["a machine is given back before it can have come", "served", { options: { provisionMaxMs: 0 } }],
  [
    "a machine is returned as soon as its node is to be removed",
    "drained",
    {
      handler: (handler, { cloud }) => ({
        handle: async (request) => {
          const body = Buffer.from(request.body ?? "").toString();
          const [, name = ""] = /\/nodes\/((?:pool|spare)-[^/?]+)$/.exec(request.path) ?? [];
          const answer = await handler.handle(request);
          if (name !== "" && request.method === "PUT" && body.includes("ToBeDeletedByClusterAutoscaler"))
            await cloud.deleteMachines({ group: name.split("-")[0] ?? "", providerIds: [`fake://test/${name}`] });
          return answer;
        },
      }),
    },
  ],
  [
    "a Service gets its balancer without the finalizer",
    "orphans",
    {
      handler: (handler) => ({
        handle: (request) => {
          const text = Buffer.from(request.body ?? "").toString();
          const { body: _, ...rest } = request;
          // The write is acknowledged, but was never made.
          const isLost = request.method === "PUT" && text.includes("service.kubernetes.io/load-balancer-cleanup");
          return handler.handle(
            isLost ? { ...rest, path: request.path.replace(/\/status$/, ""), method: "GET" } : request,
          );
        },
      }),
    },
  ],
  [
    "a node that reports is deleted when the cloud does not know it",
    "taken",
    {
      handler: (handler) => ({
        handle: (request) => {
          const isNode = request.method === "PUT" && request.path.endsWith("/nodes/node-1");
          const { body: _, ...rest } = request;
          return handler.handle(isNode ? { ...rest, method: "DELETE" } : request);
        },
      }),
    },
  ],
  [
    "a balancer keeps the targets that it had first",
    "targets",
    {
      cloud: (cloud) =>
        changed(cloud, {
          ensureLoadBalancer: async ({ spec }) => {
            const { balancer } = await cloud.findLoadBalancer({ name: spec.name });
            const { balancer: made } = await cloud.ensureLoadBalancer({
              spec: { ...spec, targets: balancer?.spec.targets ?? [] },
            });
            return { balancer: made };
          },
        }),
    },
  ],
  [
    "the route of a node that is gone stays",
    "routes",
    { cloud: (cloud) => changed(cloud, { deleteRoute: async () => ({}) }) },
  ],
];

/** Returns the checks that failed in the first of three runs in which this check failed. */
export async function complaints([, found, bugs]: CloudBug): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let seed = 1; seed <= 3 && !seen.includes(found); seed++)
    seen.push(...(await new CloudRun(seed, bugs).live()).map((text) => text.split(":")[0] ?? ""));
  return seen;
}
