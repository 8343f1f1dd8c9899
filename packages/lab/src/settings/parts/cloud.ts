import { countedNoun } from "@kintsugi/api";
import { isDeepStrictEqual } from "node:util";
import { defineSetting, type SettingFiles, topologyField, wholeNumber } from "../setting.ts";
import { type CloudSpec, CloudText, faultsOfCloud, machinesMax, toCloudSpec } from "./cloud-groups.ts";

/** Each machine has a containerd and a kubelet of its own on this host. */
const machinesDefault = 5;
const parseMachines = wholeNumber({ min: 0, max: machinesMax });

/**
 * Set if the cluster has a cloud: its controller manager initializes the nodes, Services get load
 * balancers, and machines are added for unschedulable pods.
 */
export const cloudSetting = defineSetting({
  name: "cloud",
  help: `a cloud: load balancers for Services, and machines for unschedulable pods, at most this number (default ${machinesDefault})`,
  flag: {
    flags: "--cloud [machines]",
    preset: String(machinesDefault),
    parse: (text): CloudSpec => ({ machinesMax: parseMachines(text) }),
  },
  field: topologyField({ name: "cloud", schema: CloudText, read: toCloudSpec, faults: faultsOfCloud }),
  store: (desired): { cloud?: CloudSpec } => (desired === undefined ? {} : { cloud: desired }),
  contradiction({ cloud: present }, desired) {
    if (isDeepStrictEqual(desired, present)) return undefined;
    return present === undefined ? "no cloud" : `a cloud of at most ${countedNoun(present.machinesMax, "machine")}`;
  },
  gives: ({ cloud: present }, files) =>
    present === undefined ? {} : { kubelet: { "cloud-provider": "external" }, "cloud-lab": poolFlags(present, files) },
});

function poolFlags({ machinesMax: most, machineCpuMillicores, groups }: CloudSpec, { cloudGroups }: SettingFiles) {
  return {
    ...(groups === undefined ? { "pool-max": most } : { "pool-max": 0, "groups-file": cloudGroups }),
    ...(machineCpuMillicores === undefined ? {} : { "pool-cpu": machineCpuMillicores }),
  };
}
