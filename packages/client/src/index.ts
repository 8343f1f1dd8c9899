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
export type { Informer, InformerChange, InformerOptions } from "./informer/informer.ts";
