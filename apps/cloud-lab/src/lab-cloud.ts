import type { Logger } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import {
  type CloudFaults,
  type CloudRecord,
  type GroupRecord,
  type MachineHost,
  RecordCloud,
  serveCloud,
  withCloudFaults,
} from "@kintsugi/cloud";
import type { Balancers } from "./balancing/served-balancers.ts";
import type { LabRoutes } from "./host/lab-routes.ts";
import type { CloudRecordFile } from "./host/record-file.ts";

export interface LabCloudDeps {
  clock: Clock;
  random: Random;
  log: Logger;
  host: MachineHost;
  file: Pick<CloudRecordFile, "read" | "write" | "readFaults" | "writeFaults">;
  balancers: Pick<Balancers, "apply">;
  routes: Pick<LabRoutes, "apply">;
}

export interface LabCloudOptions {
  /** The name of the cluster, for the machines' IDs. */
  clusterName: string;
  socket: string;
  addresses: readonly string[];
  /** The initial groups, for names that the record does not contain. */
  firstGroups: readonly GroupRecord[];
  /** The interval at which machines are compared with the groups' desired sizes. */
  settleIntervalMs: number;
}

/** Serves the cloud until the signal aborts. */
export async function runLabCloud(deps: LabCloudDeps, options: LabCloudOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, file, balancers, routes } = deps;
  const record = withGroups(await file.read(), options.firstGroups);
  let wake = () => {};
  const cloud = new RecordCloud(
    {
      random: deps.random,
      host: deps.host,
      keep: (next) => file.write(next),
      onChange(next) {
        void balancers.apply(next.balancers);
        void routes.apply(next.routes);
        wake();
      },
    },
    { idPrefix: `lab://${options.clusterName}`, addresses: options.addresses, record },
  );
  void balancers.apply(record.balancers);
  void routes.apply(record.routes);
  let faults: CloudFaults = await file.readFaults();
  const faulty = withCloudFaults(cloud, { clock, faultOf: (name) => faults[name] ?? faults["*"] });
  const serving = serveCloud(
    {
      cloud: faulty,
      faults: {
        get: () => faults,
        async set(wanted) {
          await file.writeFaults(wanted);
          faults = wanted;
          log.info("injected faults changed", { calls: Object.keys(wanted).join(" ") });
        },
      },
      onError: (error, call) => log.error("call failed", { call, error }),
    },
    options.socket,
    signal,
  );
  const settling = async () => {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      await cloud
        .settle()
        .catch((error: unknown) => log.warn("machines differ from the desired sizes of the groups", { error }));
      // Retries a route that could not be created.
      void routes.apply(cloud.record.routes);
      await Promise.race([woken, clock.sleep(options.settleIntervalMs, signal).catch(() => {})]);
    }
  };
  await Promise.all([serving, settling()]);
}

function withGroups(record: CloudRecord, groups: readonly GroupRecord[]): CloudRecord {
  const missing = groups.filter((group) => !record.groups.some(({ name }) => name === group.name));
  return { ...record, groups: [...record.groups, ...missing] };
}
