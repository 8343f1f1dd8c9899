import { parseProtos, serviceDefinition } from "@kintsugi/grpc";

/**
 * The calls of etcd v3 that the log needs, with upstream's field numbers (rpc.proto, kv.proto). A
 * `oneof` is written as its fields, which have the same bytes.
 */
const protos = parseProtos([
  `syntax = "proto3";
package mvccpb;
message KeyValue {
  bytes key = 1;
  int64 create_revision = 2;
  int64 mod_revision = 3;
  int64 version = 4;
  bytes value = 5;
}
message Event {
  enum EventType { PUT = 0; DELETE = 1; }
  EventType type = 1;
  KeyValue kv = 2;
}
`,
  `syntax = "proto3";
package etcdserverpb;
service KV {
  rpc Range(RangeRequest) returns (RangeResponse);
  rpc Txn(TxnRequest) returns (TxnResponse);
  rpc Compact(CompactionRequest) returns (CompactionResponse);
}
service Maintenance {
  rpc Status(StatusRequest) returns (StatusResponse);
}
service Watch {
  rpc Watch(WatchRequest) returns (stream WatchResponse);
}
message ResponseHeader {
  uint64 cluster_id = 1;
  uint64 member_id = 2;
  int64 revision = 3;
}
message RangeRequest {
  enum SortOrder { NONE = 0; ASCEND = 1; DESCEND = 2; }
  enum SortTarget { KEY = 0; VERSION = 1; CREATE = 2; MOD = 3; VALUE = 4; }
  bytes key = 1;
  bytes range_end = 2;
  int64 limit = 3;
  int64 revision = 4;
  SortOrder sort_order = 5;
  SortTarget sort_target = 6;
  bool serializable = 7;
}
message RangeResponse {
  ResponseHeader header = 1;
  repeated mvccpb.KeyValue kvs = 2;
  bool more = 3;
}
message PutRequest { bytes key = 1; bytes value = 2; }
message PutResponse { ResponseHeader header = 1; }
message DeleteRangeRequest { bytes key = 1; bytes range_end = 2; }
message DeleteRangeResponse { ResponseHeader header = 1; int64 deleted = 2; }
message RequestOp {
  RangeRequest request_range = 1;
  PutRequest request_put = 2;
  DeleteRangeRequest request_delete_range = 3;
}
message ResponseOp {
  RangeResponse response_range = 1;
  PutResponse response_put = 2;
  DeleteRangeResponse response_delete_range = 3;
}
message Compare {
  enum CompareResult { EQUAL = 0; GREATER = 1; LESS = 2; NOT_EQUAL = 3; }
  enum CompareTarget { VERSION = 0; CREATE = 1; MOD = 2; VALUE = 3; }
  CompareResult result = 1;
  CompareTarget target = 2;
  bytes key = 3;
  bytes value = 7;
  bytes range_end = 64;
}
message TxnRequest {
  repeated Compare compare = 1;
  repeated RequestOp success = 2;
  repeated RequestOp failure = 3;
}
message TxnResponse {
  ResponseHeader header = 1;
  bool succeeded = 2;
  repeated ResponseOp responses = 3;
}
message CompactionRequest { int64 revision = 1; }
message CompactionResponse { ResponseHeader header = 1; }
message StatusRequest {}
message StatusResponse {
  ResponseHeader header = 1;
  string version = 2;
  int64 db_size = 3;
  uint64 leader = 4;
  repeated string errors = 8;
  int64 db_size_in_use = 9;
}
message WatchRequest { WatchCreateRequest create_request = 1; }
message WatchCreateRequest {
  bytes key = 1;
  bytes range_end = 2;
  int64 start_revision = 3;
  bool progress_notify = 4;
  bool fragment = 8;
}
message WatchResponse {
  ResponseHeader header = 1;
  int64 watch_id = 2;
  bool created = 3;
  bool canceled = 4;
  int64 compact_revision = 5;
  string cancel_reason = 6;
  bool fragment = 7;
  repeated mvccpb.Event events = 11;
}
`,
]);

export const kvService = serviceDefinition(protos, "etcdserverpb.KV");
export const maintenanceService = serviceDefinition(protos, "etcdserverpb.Maintenance");
export const watchService = serviceDefinition(protos, "etcdserverpb.Watch");

/** Messages as they are decoded: absent fields have proto's defaults, absent messages are null. */
export interface KeyValue {
  key: Buffer;
  /** Decimal text, as all 64-bit numbers. */
  modRevision: string;
  value: Buffer;
}

export interface RangeResponse {
  kvs: KeyValue[];
  more: boolean;
}

export interface TxnResponse {
  header: { revision: string } | null;
  succeeded: boolean;
  responses: { responseRange: RangeResponse | null; responseDeleteRange: { deleted: string } | null }[];
}

export interface StatusResponse {
  version: string;
  dbSize: string;
  dbSizeInUse: string;
  errors: string[];
}

export interface WatchResponse {
  canceled: boolean;
  compactRevision: string;
  cancelReason: string;
  events: { type: "PUT" | "DELETE"; kv: KeyValue | null }[];
}
