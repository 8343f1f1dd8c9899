import { z } from "zod";
import { CloudError } from "../cloud-error.ts";
import { machinesOnly } from "../machines-only.ts";
import type { CloudProvider, CloudRequest, Instance } from "../cloud-provider.ts";
import type { EngineCall } from "./engine-client.ts";

// A Compose project as a cloud. A container is a machine with the name of its service.
//
//   docker stop node-2     its machine is off
//   docker rm -f node-2    its machine no longer exists
//
// Calls for load balancers, node groups and routes are rejected.

/** The fields of Docker's answer to GET /containers/json that are used here. */
const Container = z.object({
  Id: z.string().regex(/^[0-9a-f]{12,64}$/),
  State: z.string(),
  Labels: z.record(z.string(), z.string()).nullish(),
  NetworkSettings: z
    .object({ Networks: z.record(z.string(), z.object({ IPAddress: z.string().nullish() })).nullish() })
    .nullish(),
});
type Container = z.infer<typeof Container>;

const projectLabel = "com.docker.compose.project";
const serviceLabel = "com.docker.compose.service";
const zoneLabel = "topology.kubernetes.io/zone";
const place = "compose";

/** States in which the kernel runs processes of the container, or soon will. */
const powered: ReadonlySet<string> = new Set(["running", "paused", "restarting"]);

/** Returns the cloud of the containers of a project. Every call throws CloudError. */
export function createContainerCloud(engine: EngineCall, { project }: { project: string }): CloudProvider {
  const containers = async (signal?: AbortSignal): Promise<Container[]> => {
    const filters = encodeURIComponent(JSON.stringify({ label: [`${projectLabel}=${project}`] }));
    return parsed(await engine("GET", `/containers/json?all=true&filters=${filters}`, signal));
  };
  const listInstances = async (signal?: AbortSignal): Promise<Instance[]> =>
    (await containers(signal)).flatMap((container) => instanceOf(container, project) ?? []);
  return {
    listInstances: async (_, signal) => ({ instances: await listInstances(signal) }),
    async findInstance({ providerId, name }, signal) {
      if (providerId === undefined && name === undefined)
        throw new CloudError("InvalidRequest", "a machine is found by providerId or name");
      const instance = (await listInstances(signal)).find((each) =>
        providerId === undefined ? each.name === name : each.providerId === providerId,
      );
      return instance === undefined ? {} : { instance };
    },
    async actOnInstance({ name, action }, signal) {
      const container = (await containers(signal)).find(({ Labels }) => Labels?.[serviceLabel] === name);
      if (container === undefined) throw new CloudError("NotFound", `project ${project} has no container ${name}`);
      await act(engine, { id: container.Id, action }, signal);
      return {};
    },
    ...machinesOnly("containers of compose"),
  };
}

/** Undefined for a container that does not belong to a service. */
function instanceOf({ State, Labels, NetworkSettings }: Container, project: string): Instance | undefined {
  const name = Labels?.[serviceLabel];
  if (name === undefined) return undefined;
  const networks = Object.values(NetworkSettings?.Networks ?? {});
  const addresses = networks.flatMap(({ IPAddress }) =>
    IPAddress ? [{ type: "InternalIP" as const, address: IPAddress }] : [],
  );
  return {
    providerId: `${place}://${project}/${name}`,
    name,
    state: powered.has(State) ? "running" : "stopped",
    instanceType: "container",
    region: place,
    zone: Labels?.[zoneLabel] ?? place,
    addresses: [...addresses.slice(0, 15), { type: "Hostname", address: name }],
  };
}

async function act(
  engine: EngineCall,
  { id, action }: { id: string; action: CloudRequest<"actOnInstance">["action"] },
  signal?: AbortSignal,
): Promise<void> {
  const { status, text } = await (action === "terminate"
    ? engine("DELETE", `/containers/${id}?force=true`, signal)
    : engine("POST", `/containers/${id}/${action}`, signal));
  // 304: the container is already stopped or started.
  if (status < 300 || status === 304) return;
  throw new CloudError(status === 404 ? "NotFound" : "Unavailable", `the container engine: ${text.slice(0, 500)}`);
}

function parsed({ status, text }: { status: number; text: string }): Container[] {
  if (status !== 200)
    throw new CloudError("Unavailable", `the container engine answered ${status}: ${text.slice(0, 500)}`);
  try {
    return z.array(Container).max(1000).parse(JSON.parse(text));
  } catch (cause) {
    throw new CloudError("Unavailable", "the container engine's list of containers has an unknown shape", { cause });
  }
}
