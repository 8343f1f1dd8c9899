/** The messages of protobuf itself that CSI uses. */
export const protobufProto = `
syntax = "proto3";
package google.protobuf;

message BoolValue { bool value = 1; }
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
`;

/**
 * The subset of CSI v1 that Kintsugi uses, with upstream's field numbers. Members of a oneof are
 * plain fields, which have the same bytes.
 */
export const commonProto = `
syntax = "proto3";
package csi.v1;

service Identity {
  rpc GetPluginInfo(GetPluginInfoRequest) returns (GetPluginInfoResponse);
  rpc GetPluginCapabilities(GetPluginCapabilitiesRequest) returns (GetPluginCapabilitiesResponse);
  rpc Probe(ProbeRequest) returns (ProbeResponse);
}

message GetPluginInfoRequest {}
message GetPluginInfoResponse { string name = 1; string vendor_version = 2; map<string, string> manifest = 3; }

message GetPluginCapabilitiesRequest {}
message GetPluginCapabilitiesResponse { repeated PluginCapability capabilities = 1; }
message PluginCapability {
  message Service {
    enum Type { UNKNOWN = 0; CONTROLLER_SERVICE = 1; VOLUME_ACCESSIBILITY_CONSTRAINTS = 2; GROUP_CONTROLLER_SERVICE = 3; }
    Type type = 1;
  }
  message VolumeExpansion {
    enum Type { UNKNOWN = 0; ONLINE = 1; OFFLINE = 2; }
    Type type = 1;
  }
  Service service = 1;
  VolumeExpansion volume_expansion = 2;
}

message ProbeRequest {}
message ProbeResponse { google.protobuf.BoolValue ready = 1; }

message Topology { map<string, string> segments = 1; }
message TopologyRequirement { repeated Topology requisite = 1; repeated Topology preferred = 2; }
message CapacityRange { int64 required_bytes = 1; int64 limit_bytes = 2; }

message VolumeCapability {
  message BlockVolume {}
  message MountVolume { string fs_type = 1; repeated string mount_flags = 2; string volume_mount_group = 3; }
  message AccessMode {
    enum Mode {
      UNKNOWN = 0;
      SINGLE_NODE_WRITER = 1;
      SINGLE_NODE_READER_ONLY = 2;
      MULTI_NODE_READER_ONLY = 3;
      MULTI_NODE_SINGLE_WRITER = 4;
      MULTI_NODE_MULTI_WRITER = 5;
      SINGLE_NODE_SINGLE_WRITER = 6;
      SINGLE_NODE_MULTI_WRITER = 7;
    }
    Mode mode = 1;
  }
  BlockVolume block = 1;
  MountVolume mount = 2;
  AccessMode access_mode = 3;
}
`;
