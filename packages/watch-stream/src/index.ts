export { type Bus, BusDenied, type BusHandlers, type BusStatus, BusUnavailable } from "./bus.ts";
export { BusChangeStream, type BusChangeStreamDeps } from "./bus-change-stream.ts";
export {
  type ChangePublisher,
  type ChangePublisherOptions,
  createChangePublisher,
  type PublishedChange,
  type PublishedMark,
} from "./change-publisher.ts";
