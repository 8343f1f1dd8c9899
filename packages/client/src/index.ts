export type {
  CallOptions,
  Client,
  CreateOptions,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  ObjectList,
  ObjectReader,
  ObjectWriter,
  Patch,
  RawRequest,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
export { evictPod } from "./evict-pod.ts";
export { discoverTypes, type DiscoveredType, type Discovery, TypeDiscovery } from "./discovery/discover-types.ts";
export { metadataMediaType } from "./informer/partial-metadata.ts";
export type { Informer, InformerChange, InformerOptions } from "./informer/informer.ts";
export { dropManagedFields } from "./informer/object-cache.ts";
export { createInformer, type InformerDeps } from "./informer/create-informer.ts";
export { download } from "./http/download.ts";
export { expectedName } from "./http/expected-name.ts";
export { createHttpPool, type HttpPool, type ImpersonatedUser } from "./http/http-pool.ts";
export { createHttpClient, type HttpClientDeps, type HttpClientOptions } from "./http/http-client.ts";
export {
  createInProcessClient,
  type InProcessClientDeps,
  type InProcessClientOptions,
  inProcessUserAgent,
} from "./in-process/in-process-client.ts";
export type { CallerIdentity, HandlerRequest, HandlerResponse, RequestHandler } from "./in-process/request-handler.ts";
export { ConnectionError } from "./rest/connection-error.ts";
export { ClientCredentials, type TlsMaterial } from "./http/client-credentials.ts";
export { type FollowedKubeconfig, openKubeconfig } from "./kubeconfig/followed-kubeconfig.ts";
export { type ClusterAccess, InvalidKubeconfig, loadKubeconfig, parseKubeconfig } from "./kubeconfig/kubeconfig.ts";
export {
  assertKubeconfigIsFile,
  changeKubeconfigFile,
  hasEntry,
  type KubeconfigDocument,
  type KubeconfigEntry,
  kubeconfigPath,
  kubeconfigText,
  readKubeconfigDocument,
  withEntry,
  withoutEntry,
} from "./kubeconfig/kubeconfig-file.ts";
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderDeps,
  type EventRecorderOptions,
  type RecordedEvent,
} from "./events/event-recorder.ts";
