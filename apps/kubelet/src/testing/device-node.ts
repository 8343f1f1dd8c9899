import {
  type Pod,
  pods,
  type PodSpec,
  type ResourceClaim,
  resourceClaims,
  type ResourceSlice,
  resourceSlices,
} from "@kintsugi/api";
import type { RegistrationStatus } from "@kintsugi/grpc";
import type { ClaimReference, DeviceClient, PreparedClaims, UnpreparedClaims } from "@kintsugi/dra";
import type { PluginSocket } from "../plugins/plugin-sockets.ts";
import { TestNode } from "./test-node.ts";

export const deviceDriverName = "gpu.example.com";
export const cdiId = (device: string) => `${deviceDriverName}/gpu=${device}`;

/** A node with one device driver, whose answers a test may replace. */
export class NodeWithDevices extends TestNode {
  /** "prepare a", "unprepare a", by the names of claims. */
  readonly calls: string[] = [];
  readonly statuses: RegistrationStatus[] = [];
  sockets: PluginSocket[] = [{ path: "/dra-reg.sock", identity: "1" }];
  supportedVersions: readonly string[] = ["v1.DRAPlugin", "v1beta1.DRAPlugin"];
  isConnected = true;
  /** Replaces the answer to a call; undefined: the driver performs the call. */
  prepare: ((claims: readonly ClaimReference[], signal: AbortSignal) => Promise<PreparedClaims>) | undefined;
  unprepare: ((claims: readonly ClaimReference[]) => Promise<UnpreparedClaims>) | undefined;

  constructor() {
    super({ cdiDirectories: ["/etc/cdi", "/run/cdi"] });
    this.plugins = {
      sockets: { list: async () => this.sockets, watch: () => {} },
      connectCsi: () => {
        throw new Error("this node has no storage");
      },
      connectDevices: () => this.#client(),
      register: () => ({
        getInfo: async () => ({
          type: "DRAPlugin",
          name: deviceDriverName,
          endpoint: "/dra.sock",
          supportedVersions: this.supportedVersions,
        }),
        notify: async (status) => void this.statuses.push(status),
        close: () => {},
      }),
    };
  }

  #client(): DeviceClient {
    return {
      nodePrepareResources: async (claims, signal = new AbortController().signal) => {
        this.calls.push(...claims.map(({ name }) => `prepare ${name}`));
        if (this.prepare !== undefined) return this.prepare(claims, signal);
        return preparedOf(claims);
      },
      nodeUnprepareResources: async (claims) => {
        this.calls.push(...claims.map(({ name }) => `unprepare ${name}`));
        if (this.unprepare !== undefined) return this.unprepare(claims);
        return new Map(claims.map(({ uid }) => [uid, { error: "" }]));
      },
      isConnected: async () => this.isConnected,
      close: () => {},
    };
  }

  /** The specification of a device that adds a variable and a file. */
  async putSpec(device: string, directory = "/run/cdi", more: object = {}): Promise<void> {
    const containerEdits = {
      env: [`GPU=${device}`],
      mounts: [{ hostPath: `/lab/${device}`, containerPath: "/dev/gpu", options: ["bind", "rw"] }],
      ...more,
    };
    const spec = { cdiVersion: "0.6.0", kind: `${deviceDriverName}/gpu`, devices: [{ name: device, containerEdits }] };
    await this.files.makeDirectory(directory);
    await this.files.write(`${directory}/${device}.json`, JSON.stringify(spec));
  }

  /** A claim with a device, reserved for the pods with these names. */
  createClaim(name: string, reservedFor: readonly string[], more: Partial<ResourceClaim> = {}): void {
    const result = { request: "gpu", driver: deviceDriverName, pool: "node-1", device: name };
    const claim: ResourceClaim = {
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaim",
      metadata: { name, namespace: "default", uid: `uid-of-${name}` },
      spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } },
      status: {
        allocation: { devices: { results: [result] } },
        reservedFor: reservedFor.map((pod) => ({ resource: "pods", name: pod, uid: `uid-of-${pod}` })),
      },
      ...more,
    };
    this.api.log.put(resourceClaims.resource, claim);
  }

  /** A claim with a UID that can be named before the pod exists. */
  override async createPod(name: string, spec: Partial<PodSpec> = {}): Promise<Pod> {
    const pod: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", uid: `uid-of-${name}` },
      spec: {
        containers: [],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 1,
        nodeName: "node-1",
        dnsPolicy: "Default",
        ...spec,
      },
      status: { phase: "Pending" },
    };
    this.api.log.put(pods.resource, pod);
    return pod;
  }

  async createSlice(name: string, parts: { node?: string; driver?: string } = {}): Promise<void> {
    await this.client.create<ResourceSlice>(resourceSlices, {
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceSlice",
      metadata: { name },
      spec: {
        driver: parts.driver ?? deviceDriverName,
        nodeName: parts.node ?? "node-1",
        pool: { name: "node-1", generation: 1, resourceSliceCount: 1 },
      },
    });
  }

  async slices(): Promise<(string | undefined)[]> {
    return (await this.client.list(resourceSlices)).items.map(({ metadata }) => metadata.name);
  }
}

/** The spec of a pod that uses an existing claim. */
export function usingClaim(claimName: string, container: object = {}): Partial<PodSpec> {
  return {
    resourceClaims: [{ name: "gpu", resourceClaimName: claimName }],
    containers: [
      {
        name: "c",
        image: "busybox:1.36",
        command: ["sleep", "100000"],
        resources: { claims: [{ name: "gpu" }] },
        ...container,
      },
    ],
  };
}

function preparedOf(claims: readonly ClaimReference[]): PreparedClaims {
  return new Map(
    claims.map(({ uid, name }) => {
      const device = { requestNames: ["gpu"], poolName: "node-1", deviceName: name, cdiDeviceIds: [cdiId(name)] };
      return [uid, { devices: [device], error: "" }];
    }),
  );
}
