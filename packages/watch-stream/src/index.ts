export { type Bus, BusDenied, type BusHandlers, type BusStatus, BusUnavailable } from "./bus.ts";
export { BusChangeStream, type BusChangeStreamDeps } from "./bus-change-stream.ts";
export {
  type ChangePublisher,
  type ChangePublisherOptions,
  createChangePublisher,
  type PublishedChange,
  type PublishedMark,
} from "./change-publisher.ts";
export {
  type BusAuthority,
  type BusSeeds,
  type BusTrust,
  createBusAuthority,
  createBusSeeds,
  trustOf,
} from "./identity/bus-authority.ts";
export { natsServerConfig, type NatsServerOptions } from "./identity/nats-server-config.ts";
export type { BusCaller } from "./identity/permissions.ts";
export { type ApiCall, type BusCredentials, requestBusCredentials } from "./nats/bus-credentials.ts";
export { NatsBus, type NatsBusDeps, type NatsBusOptions } from "./nats/nats-bus.ts";
export { userJwt } from "./identity/nats-jwt.ts";
export { type ClusterBus, type ClusterBusDeps, createClusterBus } from "./nats/cluster-bus.ts";
