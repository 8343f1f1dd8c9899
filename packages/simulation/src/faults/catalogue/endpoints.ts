import { type Endpoints, endpoints, isApiError, services } from "@kintsugi/api";
import type { FaultableCluster } from "../../cluster.ts";
import { type Fault, namespace, pick, setting, alreadyOver } from "../fault.ts";

const name = "by-hand";
const key = { namespace, name };

/** Users write the endpoints of Services without selectors themselves. */
export const endpointFaults: readonly Fault[] = [
  {
    name: "write-endpoints",
    catalogue: [],
    sentence: "A user writes `addresses` endpoints of a Service without a selector. No component deletes them.",
    target: "none",
    lasts: false,
    byUsers: true,
    drawnApart: true,
    draw: (random) => ({ addresses: random.integer(4) }),
    inject: async ({ cluster, random }, planned) => {
      const count = Math.min(setting(planned, "addresses", 1), addressesMax);
      if (count === 0) await absent(cluster.client.delete(endpoints, key));
      else await put(cluster, subsetOf(addresses(random.integer(200), count)));
      // A Service is often applied after its Endpoints, so the Service is created here, and remains
      // for later Endpoints.
      await present(
        cluster.client.create(services, { metadata: key, spec: { ports: [{ port: 80, targetPort: 8080 }] } }),
      );
      if (pick(random, [true, false, false]) === true) await absent(cluster.client.delete(services, key));
      return alreadyOver;
    },
  },
];

/** Limit on addresses, because a scenario may contain any number. */
const addressesMax = 200;

function addresses(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `192.0.2.${1 + ((from + index) % 250)}`);
}

function subsetOf(ips: readonly string[]): NonNullable<Endpoints["subsets"]> {
  return [{ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 8080 }] }];
}

async function put({ client }: FaultableCluster, subsets: NonNullable<Endpoints["subsets"]>): Promise<void> {
  const found = await client.find(endpoints, key);
  if (found === undefined) await present(client.create(endpoints, { metadata: key, subsets }));
  else await client.update(endpoints, { ...found, subsets });
}

/** Resolves when the object exists, even if another client has created it. */
async function present(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!isApiError(error, "AlreadyExists")) throw error;
  });
}

async function absent(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!isApiError(error, "NotFound")) throw error;
  });
}
