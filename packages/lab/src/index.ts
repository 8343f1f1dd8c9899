export { findCluster, type KnownCluster, listClusterNames } from "./cluster/cluster-files.ts";
export { type ClusterPaths, clusterPaths, logFileName, nodePaths, nodeCgroup } from "./cluster/cluster-paths.ts";
export { type ClusterSpec, findNode, findServer, newClusterSpec, type NodeSpec } from "./cluster/cluster-spec.ts";
export { defaultDataRoot } from "./settings/command/data-dir.ts";
export { assertClusterName, clusterName, defaultClusterName } from "./settings/command/name.ts";
export { planServers, type ServerSpec } from "./settings/control-plane/servers.ts";
export type { NewNode } from "./settings/nodes/new-nodes.ts";
export { findLabelProblem, findTaintProblem } from "./settings/nodes/node-faults.ts";
export { kubelet } from "./settings/nodes/kubelet-arg.ts";
export { collectArg } from "./settings/program-args.ts";
export { type HostSize, ports, type SettingFlag, wholeNumber } from "./settings/setting.ts";
export { faultsOfTopology, TopologyFile, desiredOfTopology } from "./settings/topology.ts";
export {
  anySettings,
  argsOfUser,
  contradictionsOf,
  joinDesired,
  type DesiredSettings,
} from "./settings/desired-settings.ts";
export { RootNeeded } from "./cluster/root-needed.ts";
export { InvalidSpec } from "./settings/invalid-spec.ts";
export { ensureSupervisor, findRoom, openCluster } from "./operations/start-cluster.ts";
export { endFirstStart } from "./operations/first-start.ts";
export { stopCluster } from "./operations/stop-cluster.ts";
export { findLeftovers, tearDown } from "./operations/tear-down.ts";
export { processesIn } from "./host/cgroups.ts";
export {
  findPrivateContainerdRemains,
  type PrivateContainerd,
  type PrivateContainerdOptions,
  removePrivateContainerd,
  startPrivateContainerd,
} from "./containerd/private-containerd.ts";
export { type OciRuntime, ociRuntimeNamed, ociRuntimeOf, ociRuntimes } from "./settings/nodes/oci-runtimes.ts";
export { findOciRuntime } from "./containerd/find-oci-runtime.ts";
export { aptRunner, installPackages, type NotInstalled } from "./operations/install-packages.ts";
export {
  canInstall,
  clusterRequirements,
  explainFindings,
  type HostFindings,
  type HostView,
  inspectHost,
  lackingOf,
  type Requirement,
  requirements,
} from "./operations/requirements.ts";
export { cloudTable, nodeAddresses, serverAddresses } from "./network/addresses.ts";
export { type NodeState, type ServerCut, serverCuts, type ServerState } from "./cluster/component.ts";
export type { Programs } from "./components/components.ts";
export { type ControlClient, createControlClient } from "./supervisor/control-client.ts";
export { identifyProcess, isAlive, type ProcessIdentity } from "./host/process-identity.ts";
export { Refused } from "./supervisor/control-server.ts";
export { type NodeAction, nodeActions } from "./supervisor/node-actions.ts";
export { type ServerAction } from "./supervisor/servers/server-actions.ts";
export { etcdClientFiles } from "./components/server-pki.ts";
export { serverPorts } from "./network/plan-cut.ts";
export { apiServerUrls } from "./components/control-placement.ts";
export { controlPrograms } from "./components/control-programs.ts";
export { hostPrograms } from "./components/host-programs.ts";
export { runSupervisor } from "./supervisor/run-supervisor.ts";
export type { SupervisorStatus } from "./supervisor/status.ts";
export { type Identity, identityFiles, readIdentity, readIdentityFiles } from "./components/identity-files.ts";
export { fillMemory } from "./containerd/fill-memory.ts";
export { containerProcess, containersOfPods, type Ctr, ctrAt, ctrOn } from "./containerd/node-containers.ts";
export { observeNetwork } from "./network/network.ts";
export { ensurePki } from "./components/cluster-pki.ts";
export { runNodeMachine } from "./machine/node-machine.ts";
export { composedServerCounts } from "./compose/composed-servers.ts";
export { writeIdentities } from "./compose/write-identities.ts";
export { imageArchive } from "./images/image-archive.ts";
export { archivedImages, packLayout } from "./images/archived-images.ts";
export { isPulledAlways } from "./images/image-reference.ts";
export { type ImageStore, imageStores, saveImage } from "./images/save-image.ts";
export { importImages } from "./containerd/import-images.ts";
export { ociArchitecture } from "./images/oci-architecture.ts";
export { listens } from "./host/listening.ts";
export { importStandardImages } from "./containerd/import-standard-images.ts";
export { writeControlPlaneFiles } from "./join/control-plane-files.ts";
export {
  newCertificateKey,
  openBundle,
  parseCertificateKey,
  placeSharedKeys,
  readBundle,
  sealBundle,
  type SharedSettings,
} from "./join/control-plane-bundle.ts";
export { defaultClusterCidr } from "./join/cluster-cidr.ts";
export { joinNode } from "./join/join-node.ts";
export { JoinRefused } from "./join/join-refused.ts";
export { ownSocket as ownContainerdSocket } from "./join/node-files.ts";
