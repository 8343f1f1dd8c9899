export { CloudError, isCloudError } from "./cloud-error.ts";
export {
  type CloudCallName,
  type CloudProvider,
  type Instance,
  type LoadBalancer,
  type LoadBalancerSpec,
  MachineTemplate,
  type NodeGroup,
  type CloudRoute,
} from "./cloud-provider.ts";
export { createContainerCloud } from "./containers/container-cloud.ts";
export { engineOn } from "./containers/engine-client.ts";
export { type CloudFault, CloudFaults, withCloudFaults } from "./faults.ts";
export { createLibvirtCloud } from "./libvirt/libvirt-cloud.ts";
export { virshAt } from "./libvirt/virsh.ts";
export { CloudRecord, emptyRecord, GroupRecord } from "./record/cloud-record.ts";
export { type HostMachine, type MachineHost, RecordCloud } from "./record/record-cloud.ts";
export { createCloudClient, readCloudFaults, writeCloudFaults } from "./transport/cloud-client.ts";
export { serveCloud } from "./transport/serve-cloud.ts";
