/**
 * containerd's own event service (on the same socket as CRI), which also reports OOM kills and exit
 * codes.
 */
export const containerdEventServiceProto = `
syntax = "proto3";
package containerd.services.events.v1;

service Events {
  rpc Publish(PublishRequest) returns (google.protobuf.Empty);
  rpc Subscribe(SubscribeRequest) returns (stream Envelope);
}
message PublishRequest { string topic = 1; google.protobuf.Any event = 2; }
message SubscribeRequest { repeated string filters = 1; }
message Envelope {
  google.protobuf.Timestamp timestamp = 1;
  string namespace = 2;
  string topic = 3;
  google.protobuf.Any event = 4;
}
`;

/** The content of an Envelope's \`event\`, by topic. */
export const containerdEventsProto = `
syntax = "proto3";
package containerd.events;

message ContainerCreate { string id = 1; string image = 2; }
message ContainerDelete { string id = 1; }
message TaskStart { string container_id = 1; uint32 pid = 2; }
message TaskExit {
  string container_id = 1;
  string id = 2;
  uint32 pid = 3;
  uint32 exit_status = 4;
  google.protobuf.Timestamp exited_at = 5;
}
message TaskOOM { string container_id = 1; }
message TaskDelete {
  string container_id = 1;
  uint32 pid = 2;
  uint32 exit_status = 3;
  google.protobuf.Timestamp exited_at = 4;
  string id = 5;
}
`;

/** The well-known types that both protos use. */
export const wellKnownProto = `
syntax = "proto3";
package google.protobuf;

message Any { string type_url = 1; bytes value = 2; }
message Empty {}
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
`;
