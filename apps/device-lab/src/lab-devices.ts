import { isApiError, type ResourceClaim, resourceClaims } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, Mutex } from "@kintsugi/clock";
import {
  type ClaimReference,
  type DeviceDriver,
  type PreparedClaim,
  type PreparedDevice,
  withDeviceFaults,
} from "@kintsugi/dra";
import { CdiFiles } from "./cdi-files.ts";
import { DeviceFiles, type PreparedRecord } from "./device-files.ts";
import { indexOfDevice, type LabDevices } from "./plan-slices.ts";

export interface LabDevicesDeps {
  readonly client: Pick<Client, "find">;
  readonly clock: Clock;
}

export interface LabDevicesOptions extends LabDevices {
  readonly directory: string;
  readonly cdiDirectory: string;
}

/** The driver of a node's simulated devices, with the injected faults of its directory. */
export function createLabDriver(deps: LabDevicesDeps, options: LabDevicesOptions): DeviceDriver {
  const files = new DeviceFiles(options.directory);
  const driver = new LabDriver(deps, { files, cdi: new CdiFiles(options.cdiDirectory, options), devices: options });
  return withDeviceFaults(driver, { clock: deps.clock, faultOf: (name) => files.findFault(name) });
}

interface LabParts {
  readonly files: DeviceFiles;
  readonly cdi: CdiFiles;
  readonly devices: LabDevices;
}

class LabDriver implements DeviceDriver {
  readonly #deps: LabDevicesDeps;
  readonly #parts: LabParts;
  /** Calls run one after the other, so that only one claim gets a free device. */
  readonly #calls = new Mutex();

  constructor(deps: LabDevicesDeps, parts: LabParts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  nodePrepareResources(claims: readonly ClaimReference[]) {
    return this.#forEach(
      claims,
      (claim) => this.#prepare(claim),
      (error) => ({ devices: [], error }),
    );
  }

  nodeUnprepareResources(claims: readonly ClaimReference[]) {
    return this.#forEach(
      claims,
      (claim) => this.#unprepare(claim),
      (error) => ({ error }),
    );
  }

  /** A fault of one claim affects only that claim's answer. */
  #forEach<Outcome>(
    claims: readonly ClaimReference[],
    work: (claim: ClaimReference) => Promise<Outcome>,
    failed: (error: string) => Outcome,
  ): Promise<Map<string, Outcome>> {
    return this.#calls.run(async () => {
      const outcomes = new Map<string, Outcome>();
      for (const claim of claims)
        outcomes.set(claim.uid, await work(claim).catch((error: unknown) => failed((error as Error).message)));
      return outcomes;
    });
  }

  /** The record is written first, so that a driver that crashes here finds what it has to undo. */
  async #prepare(claim: ClaimReference): Promise<PreparedClaim> {
    const { files, cdi } = this.#parts;
    const record = (await files.findClaim(claim.uid)) ?? (await this.#allocatedTo(claim));
    await this.#refuseOthersDevices(record);
    await files.putClaim(record);
    const names = [...new Set(record.devices.map(({ device }) => device))];
    const paths = await Promise.all(names.map(async (device) => ({ device, file: await files.device(device) })));
    await cdi.put(claim.uid, paths);
    return { devices: record.devices.map((each) => this.#deviceOf(claim.uid, each)), error: "" };
  }

  async #unprepare({ uid }: ClaimReference) {
    const { files, cdi } = this.#parts;
    await cdi.remove(uid);
    await files.removeClaim(uid);
    return { error: "" };
  }

  /** The kubelet only names the claim, so the driver reads the devices from the API. */
  async #allocatedTo(reference: ClaimReference): Promise<PreparedRecord> {
    const { namespace, name, uid } = reference;
    const claim = await this.#deps.client.find(resourceClaims, { namespace, name }).catch((error: unknown) => {
      if (isApiError(error)) throw new Error(`claim ${namespace}/${name}: ${error.message}`, { cause: error });
      throw error;
    });
    if (claim === undefined) throw new Error(`claim ${namespace}/${name} does not exist`);
    if (claim.metadata.uid !== uid) throw new Error(`claim ${namespace}/${name} has another UID`);
    return { namespace, name, uid, devices: this.#devicesIn(claim) };
  }

  #devicesIn({ status }: ResourceClaim): PreparedRecord["devices"] {
    const { driverName, nodeName, count } = this.#parts.devices;
    const results = (status?.allocation?.devices?.results ?? []).filter(({ driver }) => driver === driverName);
    return results.map(({ pool, device, request }) => {
      if (pool !== nodeName) throw new Error(`device ${pool}/${device} is not on node ${nodeName}`);
      if (indexOfDevice(device, { count }) === undefined) throw new Error(`node ${nodeName} has no device ${device}`);
      // A request with alternatives is "request/subrequest"; containers name the request.
      return { device, request: request.split("/")[0] ?? request };
    });
  }

  async #refuseOthersDevices(record: PreparedRecord): Promise<void> {
    const wanted = new Set(record.devices.map(({ device }) => device));
    for (const other of await this.#parts.files.listClaims()) {
      const shared = other.devices.find(({ device }) => wanted.has(device));
      if (other.uid !== record.uid && shared !== undefined)
        throw new Error(
          `device ${shared.device} is prepared for claim ${other.namespace}/${other.name} (${other.uid})`,
        );
    }
  }

  #deviceOf(claimUid: string, { device, request }: PreparedRecord["devices"][number]): PreparedDevice {
    const { cdi, devices } = this.#parts;
    return {
      requestNames: [request],
      poolName: devices.nodeName,
      deviceName: device,
      cdiDeviceIds: [cdi.idOf(claimUid, device)],
    };
  }
}
